// SPDX-License-Identifier: MIT
// Fine-tunes a classifier from an ONNX file of any program, for example of train_and_export.
//
//   build/release/examples/onnx/finetune --model mnist.onnx --dataset fashion --epoch 1 --frozen /l1
//
// The file's weights are parameters by path. Parameters whose path begins with --frozen are fixed; the others are
// trained. The result is written as an ONNX file.
#include "../common/training.h"
#include "../mnist/mlp.h"

using namespace chainer;

int main(int argc, char** argv) {
  return examples::run("finetune", [&] {
    examples::TrainingOptions o{.batchsize = 100, .epoch = 1};
    std::string dataset, file = "mnist.onnx", result = "finetuned.onnx", frozen;
    examples::Options options("finetune", "Fine-tunes a classifier of digits from an ONNX file.");
    o.add_to(options);
    o.add_device_to(options);
    options.add("--dataset", "mnist, fashion or drawn; by default mnist, or drawn digits if it is not available",
                dataset);
    options.add("--model", "the file to fine-tune", file);
    options.add("--result", "the file to write", result);
    options.add("--frozen", "prefix of the paths of parameters that are not trained", frozen);
    options.parse(argc, argv);
    o.seed_random();

    auto [train, test] = load_digits(dataset);
    iterators::SerialIterator train_iter(train, o.batchsize);
    iterators::SerialIterator test_iter(test, o.batchsize, {.repeat = false, .shuffle = false});
    auto network = std::make_shared<onnx::Model>(file);
    L::Classifier model(network);
    auto optimizer = optimizers::Adam({.alpha = 1e-4}).setup(model);
    int64_t kept = 0;
    for (const auto& [path, p] : network->namedparams()) {
      std::printf("%-24s %s\n", path.c_str(), to_string(p.shape()).c_str());
      if (frozen.empty() || !path.starts_with(frozen)) continue;
      p.update_rule()->enabled = false;
      ++kept;
    }
    std::printf("%lld parameters stay fixed\n", static_cast<long long>(kept));
    const Device device = get_device(o.device);
    training::StandardUpdater updater(train_iter, optimizer, {.device = device});
    Trainer trainer(updater, o.stop(), {.out = o.out});
    trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}), {.trigger = o.report()});
    run_trainer(trainer, o, {"epoch", "main/loss", "main/accuracy", "validation/main/accuracy", "elapsed_time"});

    model.to_cpu();
    const auto [images, labels] = concat_examples<2>(iterators::SerialIterator(test, 2).next());
    onnx::export_model(*network, {images}, result, {.input_names = {"image"}, .output_names = {"scores"}});
  });
}
