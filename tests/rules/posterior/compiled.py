import numba


def compiled(subroutine):
    """A subroutine as kernels have it, to be called from Python."""
    return numba.njit(lambda *arguments: subroutine(*arguments), error_model="numpy")
