# The two commands: make mnist, make test. Others: make docs (the reference), make fuzz, make sanitize. For everything
# else use CMake (see CMakePresets.json).
.PHONY: mnist test check python test-python fuzz sanitize glance build docs coverage install-dependencies format clean
.NOTPARALLEL:

# Options for the program: make mnist ARGS="--epoch 2"
ARGS ?=
# make mnist INSTALL=no builds with the packages that are installed
INSTALL ?=
# For developers: make test PRESET=developer (warnings are errors)
PRESET ?= release

mnist: install-dependencies
	@scripts/build release train_mnist
	build/release/examples/mnist/train_mnist $(ARGS)

glance: install-dependencies
	@scripts/build release glance
	build/release/examples/glance/glance $(ARGS)

# The tests without those of the label slow
test: install-dependencies
	@scripts/build $(PRESET)
	cd build/$(PRESET) && ctest --output-on-failure --parallel 2 --label-exclude slow

# All tests, as CI runs them
check: install-dependencies
	@scripts/build $(PRESET)
	cd build/$(PRESET) && ctest --output-on-failure --parallel 2

# The Python package in the virtual environment build/python, if a Python is found; test-python also runs its tests, and
# those of the release in the folder SUITE
python: install-dependencies
	@scripts/python $(PRESET)

SUITE ?=
test-python: python
	@python/tests/run $(SUITE)

# Fuzzes the readers, SECONDS for each target (Clang with libFuzzer)
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

# Updates docs/coverage.md after a name of the manual was added
coverage:
	docs/coverage/make_coverage c++ > docs/coverage.md.new && mv docs/coverage.md.new docs/coverage.md

build: install-dependencies
	@scripts/build $(PRESET)

install-dependencies:
	@[ "$(INSTALL)" = no ] || scripts/install_dependencies

format:
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build
