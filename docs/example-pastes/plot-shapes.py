# Ran with Python 3.11.7, matplotlib 3.11.2, numpy 2.4.6.
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

days = np.arange(365)
growth = np.diff(np.cumsum(days))

try:
    plt.plot(days, growth)
except ValueError as error:
    sys.exit(f"{type(error).__name__}: {error}")
