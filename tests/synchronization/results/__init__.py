"""The models of the kernels in correct/: what each of them is for, in a few lines.

A model takes the launch, in which `launch["x"]` is the contents of a buffer before the run, and returns the buffers after it.
It knows neither PTX nor the interpreter, and no value in it comes from a run.
"""

MODELS = {}


def model(function):
    """Registers the model of the kernel with the function's name."""
    MODELS[function.__name__] = function
    return function


from . import copies, order, tensor  # noqa: E402,F401
