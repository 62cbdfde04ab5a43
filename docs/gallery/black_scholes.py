# ---
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ---
# %% [markdown]
# # The price of an option, as a surface
#
# The formula of Black and Scholes has one row of spot prices and one column of times. They repeat along each other, as in NumPy, and
# nothing is copied for that. Price and delta come from one kernel.

# %%
import matplotlib.pyplot as plt
import numpy as np
import tosajit
from tosajit import special


def normal(d):
    return special.erf(d * 0.7071067811865476) * 0.5 + 0.5


@tosajit.jit
def call_option(spot, years, strike, rate, volatility):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + volatility * volatility * 0.5) * years) / spread
    price = spot * normal(d1) - strike * np.exp(-rate * years) * normal(d1 - spread)
    return price, normal(d1)


spot = np.linspace(50, 150, 201)[None, :]
years = np.linspace(0.02, 2, 150)[:, None]
price, delta = call_option(spot, years, 100.0, 0.03, 0.25)
price.shape, len(call_option.kernels)

# %%
figure = plt.figure(figsize=(10, 4.6))
for place, z, name in ((1, price, "price"), (2, delta, "delta")):
    axes = figure.add_subplot(1, 2, place, projection="3d")
    axes.plot_surface(spot, years, z, cmap="viridis", rcount=60, ccount=60)
    axes.set(xlabel="spot", ylabel="years", title=name)
    axes.view_init(25, -120)
figure.tight_layout()
plt.show()

# %% [markdown]
# A call less a put is worth the spot less what is owed. The prices keep to that:

# %%
owed = 100 * np.exp(-0.03 * years)
put, _ = call_option(owed, years, spot, 0.0, 0.25)  # a call on what is owed, paid with the spot
print("put-call parity holds to", np.abs(price - put - (spot - owed)).max())
