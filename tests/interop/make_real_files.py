# SPDX-License-Identifier: MIT
"""Exports networks of torchvision and transformers, with random weights, to FOLDER: make_real_files.py FOLDER

Small configurations of the networks of transformers. Detectors keep their activations near one, since onnxruntime's own
results of deep networks with random weights differ with and without its optimizations.
"""
import logging
import pathlib
import sys
import warnings

import torch
import transformers
from torchvision import models

SIZES = {"alexnet": 224, "vgg11": 224, "vit_b_32": 224, "swin_t": 224, "swin_v2_t": 224, "maxvit_t": 224}
IMAGES = ["alexnet", "vgg11", "resnet18", "mobilenet_v2", "mobilenet_v3_small", "squeezenet1_1", "shufflenet_v2_x0_5",
          "densenet121", "efficientnet_b0", "efficientnet_v2_s", "mnasnet0_5", "googlenet", "regnet_y_400mf",
          "convnext_tiny", "vit_b_32", "swin_t", "swin_v2_t", "maxvit_t"]
DETECTORS = ["ssdlite320_mobilenet_v3_large", "fasterrcnn_mobilenet_v3_large_320_fpn", "maskrcnn_resnet50_fpn",
             "keypointrcnn_resnet50_fpn", "fcos_resnet50_fpn"]
COMMON = dict(vocab_size=100, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
              max_position_embeddings=64)
FEW = dict(vocab_size=100, hidden_size=64, num_attention_heads=4)
PICTURES = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128)
LANGUAGE = {
    "bert": ("BertModel", COMMON),
    "distilbert": ("DistilBertModel", dict(vocab_size=100, dim=64, n_layers=2, n_heads=4, hidden_dim=128,
                                           max_position_embeddings=64)),
    "roberta": ("RobertaModel", COMMON),
    "electra": ("ElectraModel", COMMON | dict(embedding_size=32)),
    "albert": ("AlbertModel", COMMON | dict(embedding_size=32)),
    "mpnet": ("MPNetModel", COMMON),
    "deberta_v2": ("DebertaV2Model", COMMON | dict(relative_attention=True, pos_att_type=["p2c", "c2p"],
                                                   type_vocab_size=0)),
    "gpt2": ("GPT2LMHeadModel", dict(vocab_size=100, n_embd=64, n_layer=2, n_head=4, n_positions=64)),
    "llama": ("LlamaForCausalLM", COMMON | dict(num_key_value_heads=2)),
    "mistral": ("MistralForCausalLM", COMMON | dict(num_key_value_heads=2)),
    "qwen2": ("Qwen2ForCausalLM", COMMON | dict(num_key_value_heads=2)),
    "qwen3": ("Qwen3ForCausalLM", COMMON | dict(num_key_value_heads=2, head_dim=16)),
    "gemma": ("GemmaForCausalLM", COMMON | dict(num_key_value_heads=2, head_dim=16)),
    "gemma2": ("Gemma2ForCausalLM", COMMON | dict(num_key_value_heads=2, head_dim=16)),
    "phi": ("PhiForCausalLM", COMMON),
    "opt": ("OPTForCausalLM", FEW | dict(num_hidden_layers=2, ffn_dim=128, max_position_embeddings=64,
                                         word_embed_proj_dim=64)),
    "gpt_neox": ("GPTNeoXForCausalLM", COMMON),
    "bloom": ("BloomForCausalLM", dict(vocab_size=100, hidden_size=64, n_layer=2, n_head=4)),
    "t5_encoder": ("T5EncoderModel", dict(vocab_size=100, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4)),
    "clip_text": ("CLIPTextModel", COMMON | dict(eos_token_id=98, bos_token_id=97, pad_token_id=1)),
}


class Positional(torch.nn.Module):
    """Calls a network of transformers with positional inputs and returns its first result."""

    def __init__(self, network, names):
        super().__init__()
        self.network, self.names = network, names

    def forward(self, *inputs):
        return self.network(**dict(zip(self.names, inputs)), return_dict=False)[0]


class Maker:
    def __init__(self, folder):
        self.folder = folder

    def save(self, name, network, inputs, **options):
        network.eval()
        try:
            with torch.no_grad():
                torch.onnx.export(network, inputs, str(self.folder / f"{name}.onnx"), verbose=False, **options)
        except Exception as e:  # any error of the exporter
            print(f"{name}: torch.onnx: {type(e).__name__}: {str(e).splitlines()[0][:150]}")

    def transformer(self, name, cls, settings, inputs, names=("input_ids", "attention_mask")):
        network_class = getattr(transformers, cls)
        network = network_class(network_class.config_class(**settings))
        if hasattr(network.config, "use_cache"):
            network.config.use_cache = False
        self.save(name, Positional(network, names), inputs, dynamo=True)


def main(folder):
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.manual_seed(0)
    folder.mkdir(parents=True, exist_ok=True)
    make = Maker(folder)
    for name in IMAGES:
        options = {"init_weights": False} if name == "googlenet" else {}
        size = SIZES.get(name, 96)
        make.save(name, getattr(models, name)(weights=None, **options), (torch.randn(1, 3, size, size),), dynamo=True)
    for name in ("resnet18", "mobilenet_v3_small", "swin_t"):
        size = SIZES.get(name, 96)
        make.save(f"{name}_script", getattr(models, name)(weights=None), (torch.randn(1, 3, size, size),), dynamo=False,
                  opset_version=17)
    none = dict(weights=None, weights_backbone=None)
    dense = models.segmentation
    make.save("deeplabv3_mobilenet", dense.deeplabv3_mobilenet_v3_large(**none), (torch.randn(1, 3, 96, 96),), dynamo=True)
    make.save("lraspp", dense.lraspp_mobilenet_v3_large(**none), (torch.randn(1, 3, 96, 96),), dynamo=True)
    make.save("fcn_resnet50", dense.fcn_resnet50(**none), (torch.randn(1, 3, 64, 64),), dynamo=True)
    make.save("raft_small", models.optical_flow.raft_small(weights=None),
              (torch.randn(1, 3, 128, 128), torch.randn(1, 3, 128, 128)), dynamo=True)
    make.save("r3d_18", models.video.r3d_18(weights=None), (torch.randn(1, 3, 4, 48, 48),), dynamo=True)
    for name in DETECTORS:
        size = {} if name.startswith("ssd") else dict(min_size=160, max_size=160)
        if name.startswith("mask"):
            size["box_score_thresh"] = 0.011
        torch.manual_seed(0)  # with other weights, boxes of almost the same score may change places
        network = getattr(models.detection, name)(**none, **size)
        for path, part in network.named_modules():
            if path.endswith("bn3") and hasattr(part, "weight"):
                part.weight.data.fill_(0.3)
        if hasattr(network, "roi_heads"):
            network.roi_heads.box_predictor.cls_score.weight.data *= 20
        make.save(name, network, ([torch.rand(3, 160, 160)],), dynamo=False, opset_version=17)
    mask = torch.ones(2, 12, dtype=torch.long)
    mask[1, 8:] = 0
    words = torch.randint(0, 99, (2, 12)), mask
    for name, (cls, settings) in LANGUAGE.items():
        make.transformer(name, cls, settings, words)
    make.transformer("vit", "ViTModel", PICTURES | dict(image_size=32, patch_size=8), (torch.randn(2, 3, 32, 32),),
                     ("pixel_values",))
    make.transformer("dinov2", "Dinov2Model", dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                                                   image_size=28, patch_size=7), (torch.randn(2, 3, 28, 28),),
                     ("pixel_values",))
    make.transformer("segformer", "SegformerForSemanticSegmentation",
                     dict(depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 40, 64], decoder_hidden_size=32),
                     (torch.randn(1, 3, 64, 64),), ("pixel_values",))
    make.transformer("wav2vec2", "Wav2Vec2Model",
                     PICTURES | dict(vocab_size=100, conv_dim=(32, 32), conv_stride=(5, 2), conv_kernel=(10, 3),
                                     num_feat_extract_layers=2, num_conv_pos_embeddings=16,
                                     num_conv_pos_embedding_groups=4), (torch.randn(1, 800),), ("input_values",))
    make.transformer("whisper", "WhisperModel",
                     dict(vocab_size=100, d_model=64, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
                          decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, max_source_positions=50,
                          max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                          decoder_start_token_id=1), (torch.randn(1, 80, 100), torch.randint(3, 99, (1, 6))),
                     ("input_features", "decoder_input_ids"))
    make.transformer("mamba", "MambaForCausalLM", dict(vocab_size=100, hidden_size=32, state_size=8,
                                                       num_hidden_layers=1), words[:1], ("input_ids",))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
