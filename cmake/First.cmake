# What train_mnist is linked with, a third of the sources, in `first`: they compile before the others, so that who came to
# see a network train waits less. Of some folders only the sources named here are among them; where a link of train_mnist
# misses a function, its source is to be named, too.
set(first ${sources})
set(later_folders onnx vision exporters interop testing distributions functions links datasets serializers optimizers
                  graph_optimizations inference "routines/(sorting|walker)" "iterators/.*(multi|worker)"
                  "training/.*(shifts|statistics|parallel|model_|confusion_matrix)")
list(JOIN later_folders "|" later_folders)
list(FILTER first EXCLUDE REGEX "/chainer/(${later_folders})")
function(chainer_first_of folder)
  list(JOIN ARGN "|" names)
  set(its ${sources})
  list(FILTER its INCLUDE REGEX "/chainer/${folder}/(${names})\\.cpp$")
  set(first ${first} ${its} PARENT_SCOPE)
endfunction()
chainer_first_of(functions/activation relu softmax)
chainer_first_of(functions/array broadcast_to copy get_item reshape sum_to transpose variable_methods)
chainer_first_of(functions/connection linear)
chainer_first_of(functions/evaluation accuracy)
chainer_first_of(functions/loss softmax_cross_entropy)
chainer_first_of(functions/math basic_math exp identity log matmul sum)
chainer_first_of(functions/normalization normalize)
chainer_first_of(functions/pooling windows)
chainer_first_of(links left_out link link_copy link_hook link_serialize link_values shared_name)
chainer_first_of(links/connection linear parameter)
chainer_first_of(links/model classifier)
chainer_first_of(datasets cached_npz dataset download drawn_digits example_random fetch_curl fetch_none idx md5 mnist
                 sub_dataset)
chainer_first_of(serializers assign npz zip)
chainer_first_of(optimizers adam fused_rule gradient_method momentum_sgd optimizer sgd update_rule)
