# The two commands: make mnist, make test. Beside them: make docs (the reference), make fuzz, make sanitize. Everything
# else is CMake's (see CMakePresets.json).
.PHONY: mnist test python test-python fuzz sanitize glance build docs coverage install-dependencies format clean
.NOTPARALLEL:

# Options for the program: make mnist ARGS="--epoch 2"
ARGS ?=
# Those who change chainer: make test PRESET=developer (warnings are errors)
PRESET ?= release

mnist: install-dependencies
	@scripts/build release train_mnist
	build/release/examples/mnist/train_mnist $(ARGS)

glance: install-dependencies
	@scripts/build release glance
	build/release/examples/glance/glance $(ARGS)

test: install-dependencies
	@scripts/build $(PRESET)
	cd build/$(PRESET) && ctest --output-on-failure --parallel 2

# The Python package in the virtual environment build/python, where a Python is found; with its tests, and with those of
# the release where SUITE names a checkout's folder of them
python: install-dependencies
	@scripts/python $(PRESET)

SUITE ?=
test-python: python
	@python/tests/run $(SUITE)

# A search for inputs that break a reader, SECONDS for each target (Clang with libFuzzer)
SECONDS ?= 5
fuzz:
	@scripts/install_dependencies sanitize
	@tests/fuzz/run $(SECONDS)

# All tests with the address and undefined-behaviour sanitizers, and with the thread sanitizer (Clang, libomp).
sanitize:
	@scripts/install_dependencies sanitize
	@scripts/build asan
	cd build/asan && ctest --output-on-failure --parallel 2
	@scripts/build tsan
	cd build/tsan && ctest --output-on-failure --parallel 2

# The reference, in build/release/docs/html/index.html
docs:
	@scripts/install_dependencies docs
	@scripts/build release docs

# docs/coverage.md, after a name of the manual was added
coverage:
	docs/coverage/make_coverage c++ > docs/coverage.md.new && mv docs/coverage.md.new docs/coverage.md

build: install-dependencies
	@scripts/build $(PRESET)

install-dependencies:
	@scripts/install_dependencies

format:
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build
