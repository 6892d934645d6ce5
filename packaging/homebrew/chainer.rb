# A Homebrew formula; not tested yet, since nothing but Linux was (see docs/architecture.md).
class Chainer < Formula
  desc "Define-by-run deep learning in C++20"
  license "MIT"
  version "0.1.0"
  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "onednn"
  depends_on "openblas"
  depends_on "hdf5"
  depends_on "protobuf"
  depends_on "cairo"
  depends_on "jpeg-turbo"
  depends_on "libpng"
  def install
    off = %w[TESTS EXAMPLES BENCHMARKS].map { |part| "-DCHAINER_BUILD_#{part}=OFF" }
    system "cmake", "-S", ".", "-B", "build", "-DBUILD_SHARED_LIBS=ON", *off, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end
end
