"""A Spack package; not tested yet."""
from spack.package import *


class Chainer(CMakePackage):
    """Define-by-run deep learning in C++20."""

    license("MIT")
    version("0.1.0")
    variant("shared", default=True, description="Build shared libraries")
    variant("mpi", default=False, description="Training with several processes")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    for library in ("zlib-api", "onednn", "openblas", "hdf5", "protobuf", "libpng", "libjpeg-turbo", "cairo", "curl", "boost"):
        depends_on(library)
    depends_on("mpi", when="+mpi")

    def cmake_args(self):
        off = [self.define(f"CHAINER_BUILD_{part}", False) for part in ("TESTS", "EXAMPLES", "BENCHMARKS")]
        return off + [self.define_from_variant("BUILD_SHARED_LIBS", "shared")]
