# SPDX-License-Identifier: MIT
"""Writes tests/data/models with the package `transformers`: small BERT and GPT-2 models and their results.

make_models.py FOLDER; needs `pip install torch transformers`.
"""
import pathlib
import sys

import numpy
import torch
from transformers import BertConfig, BertModel, GPT2Config, GPT2LMHeadModel


def spread(model):
    # The initial weights are so small that many mistakes would not show.
    for p in model.parameters():
        p.data += 0.2 * torch.randn_like(p)
    return model.eval()


def main(folder):
    torch.manual_seed(0)
    bert = spread(BertModel(BertConfig(vocab_size=150, hidden_size=16, num_hidden_layers=2, num_attention_heads=4,
                                       intermediate_size=24, max_position_embeddings=12)))
    bert.save_pretrained(folder / 'bert')
    ids = torch.randint(0, 150, (3, 9))
    types = (torch.arange(9) > 4).long().repeat(3, 1)
    mask = torch.arange(9)[None] < torch.tensor([[9], [4], [1]])
    with torch.no_grad():
        out = bert(input_ids=ids, token_type_ids=types, attention_mask=mask.long())
    numpy.savez(folder / 'bert' / 'results.npz', ids=ids.numpy().astype('i4'), types=types.numpy().astype('i4'),
                mask=mask.numpy(), states=out.last_hidden_state.numpy(), pooled=out.pooler_output.numpy())

    gpt = spread(GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=24, n_embd=16, n_layer=2, n_head=4, n_inner=24)))
    gpt.save_pretrained(folder / 'gpt2')
    ids = torch.randint(0, 50, (3, 10))
    with torch.no_grad():
        scores = gpt(ids).logits
        greedy = []
        for i in range(3):
            prompt = ids[i:i + 1, :3 + 3 * i]
            all_ids = gpt.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=12, do_sample=False,
                                   pad_token_id=0)
            greedy.append(all_ids[0, prompt.shape[1]:])
    numpy.savez(folder / 'gpt2' / 'results.npz', ids=ids.numpy().astype('i4'), scores=scores.numpy(),
                greedy=torch.stack(greedy).numpy().astype('i4'))
    (folder / 'gpt2' / 'generation_config.json').unlink(missing_ok=True)


main(pathlib.Path(sys.argv[1]))
