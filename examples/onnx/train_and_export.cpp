// SPDX-License-Identifier: MIT
// Trains a network on MNIST and exports it as an ONNX file for other programs such as onnxruntime.
//
//   build/release/examples/onnx/train_and_export --epoch 3 --model mnist.onnx
//
// The file's input is named image, its output scores; the batch size is dynamic. At the end the program reads the file
// and compares its accuracy on the test set.
#include "../common/training.h"
#include "../mnist/mlp.h"

using namespace chainer;

int main(int argc, char** argv) {
  return examples::run("train_and_export", [&] {
    examples::TrainingOptions o{.batchsize = 100, .epoch = 3};
    std::string dataset, file = "mnist.onnx";
    examples::Options options("train_and_export", "Trains a network on MNIST and exports it as an ONNX file.");
    o.add_to(options);
    o.add_device_to(options);
    options.add("--dataset", "mnist, fashion or drawn; by default mnist, or drawn digits if it is not available",
                dataset);
    options.add("--model", "the file to write", file);
    options.parse(argc, argv);
    o.seed_random();

    auto [train, test] = load_digits(dataset);
    iterators::SerialIterator train_iter(train, o.batchsize);
    iterators::SerialIterator test_iter(test, o.batchsize, {.repeat = false, .shuffle = false});
    L::Classifier model(MLP(100, 10));
    auto optimizer = optimizers::Adam().setup(model);
    const Device device = get_device(o.device);
    training::StandardUpdater updater(train_iter, optimizer, {.device = device});
    Trainer trainer(updater, o.stop(), {.out = o.out});
    trainer.extend(extensions::Evaluator(test_iter, model, {.device = device}), {.trigger = o.report()});
    run_trainer(trainer, o, {"epoch", "main/loss", "main/accuracy", "validation/main/accuracy", "elapsed_time"});

    model.to_cpu();
    const auto [images, labels] = concat_examples<2>(iterators::SerialIterator(test, 100).next());
    onnx::export_model(model.predictor(), {images}, file,
                       {.input_names = {"image"}, .output_names = {"scores"}, .graph_name = "mnist"});
    UsingConfig test_mode(&Config::train, false);
    NoBackpropMode no_graph;
    onnx::Model read(file);
    const double ours = F::accuracy(model.predictor().call(Variables{images})[0], labels).item<double>();
    const double theirs = F::accuracy(read(images), labels).item<double>();
    std::printf("%s: %zu operators; accuracy on %d images: %.2f here, %.2f from the file\n", file.c_str(),
                read.operator_count(), 100, ours, theirs);
  });
}
