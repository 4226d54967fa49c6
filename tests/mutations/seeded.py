"""Mutations of formulas, room by room: doubled, halved, with a wrong sign, without a factor, a scale or a weight."""

from tests.mutations.mutation import LOSSES, STATISTICS, Mutation, kernels, pairs

RIDGE = ("tests/learners/test_ridge.py", "-k", "gcv or equals_scikit")
PROCESS = ("tests/learners/test_gaussian_process.py", "-k", "n_by_n_formulas")
SVM = ("tests/learners/test_svm.py", "-k", "stationary or reaches_the_objective")
PRODUCTS = ("tests/theory/test_products.py",)
GRAM, EVIDENCE = ("tests/scales/test_gram.py",), ("tests/scales/test_evidence.py",)
NAMES_OF_SCALES = ("fixed_draws", "metric", "rules", "neighbourhoods")
DRAWS, METRIC, RULES, LEAVES = ((f"tests/scales/test_{name}.py",) for name in NAMES_OF_SCALES)
BOUNDS = ("tests/theory/test_bounds.py",)

OF_KERNELS = [
    Mutation("kernels/gaussian.py", "np.exp(-0.5 * np.square(r))", "np.exp(-0.25 * np.square(r))", kernels("Gaussian")),
    Mutation(
        "kernels/gaussian.py",
        "np.sqrt(2.0 * gammaincinv(0.5 * dim,",
        "np.sqrt(gammaincinv(0.5 * dim,",
        kernels("Gaussian"),
    ),
    Mutation("kernels/gaussian.py", "(2.0 * np.pi) ** (0.5 * dim)", "(2.0 * np.pi) ** dim", kernels("Gaussian")),
    Mutation(
        "kernels/laplace.py",
        "np.tan(np.pi * (uniforms - 0.5))",
        "np.tan(np.pi * (uniforms - 0.5)) / 2",
        kernels("Laplace"),
    ),
    Mutation(
        "kernels/laplace.py",
        "return stretched_quantile(uniforms, 1.0)",
        "return 2.0 * stretched_quantile(uniforms, 1.0)",
        kernels("Laplace"),
    ),
    Mutation("kernels/cauchy.py", "np.log1p(-2.0 * np.abs(centred))", "np.log1p(-np.abs(centred))", kernels("Cauchy")),
    Mutation(
        "kernels/matern.py",
        "np.sqrt(nu / np.maximum(half_chi_squared",
        "np.sqrt(2.0 * nu / np.maximum(half_chi_squared",
        kernels("Matern"),
    ),
    Mutation("kernels/matern.py", "dim * nu / (nu - 1.0)", "dim * nu / (nu - 0.5)", kernels("Matern")),
    Mutation("kernels/matern.py", "np.sqrt(2.0 * nu * ratio)", "np.sqrt(nu * ratio)", kernels("Matern")),
    Mutation("kernels/matern.py", "2.5: (1.0, 1.0, 1.0 / 3.0)", "2.5: (1.0, 1.0, 1.0 / 2.0)", kernels("Matern")),
    Mutation(
        "kernels/rational_quadratic.py",
        "np.square(r) / (2.0 * alpha)) ** -alpha",
        "np.square(r) / alpha) ** -alpha",
        kernels("RationalQuadratic"),
    ),
    Mutation(
        "kernels/rational_quadratic.py",
        "gammaincinv(alpha, uniforms[:, dim:]) / alpha",
        "gammaincinv(alpha, uniforms[:, dim:])",
        kernels("RationalQuadratic"),
    ),
    Mutation(
        "kernels/powered_exponential.py",
        "0.5 * (np.log(2.0) + log_mixing)",
        "0.5 * log_mixing",
        kernels("PoweredExponential"),
    ),
    Mutation(
        "kernels/convex.py", "root * (1.0 + root) / (1.0 - uniforms)", "root / (1.0 - uniforms)", kernels("Reciprocal")
    ),
    Mutation(
        "kernels/convex.py",
        "-np.log(second) * np.tan(np.pi",
        "np.log(second) ** 2 * np.tan(np.pi",
        kernels("Reciprocal"),
    ),
    Mutation(
        "kernels/binning.py",
        "self.unit_pitches(uniforms) * self.column_lengths",
        "self.unit_pitches(uniforms) / self.column_lengths",
        kernels("Reciprocal"),
    ),
    Mutation(
        "kernels/binning.py",
        "error / ((flat + exponent * t) * np.exp(-t))",
        "error / ((flat - exponent * t) * np.exp(-t))",
        kernels("Laplace or StretchedExponential"),
    ),
    Mutation(
        "kernels/binning.py",
        "(strata + rng.random((n, dim))) / n",
        "(strata + rng.random((n, dim))) / (n + 1)",
        kernels("Laplace or StretchedExponential"),
    ),
    Mutation(
        "kernels/scaling.py",
        "return unit / self.scales",
        "return unit * self.scales",
        kernels("Cauchy or Gaussian or ShiftInvariantProduct"),
    ),
    Mutation(
        "kernels/scaling.py",
        "return unit @ self.matrix",
        "return 2.0 * unit @ self.matrix",
        kernels("Metric"),
    ),
    Mutation(
        "kernels/shift_invariant.py",
        "return self.left.frequency_second_moment(dim) + self.right.frequency_second_moment(dim)",
        "return self.left.frequency_second_moment(dim)",
        kernels("Cauchy or Gaussian or ShiftInvariantProduct"),
    ),
    Mutation(
        "kernels/base.py",
        "return self.left(X, Y) + self.right(X, Y)",
        "return 0.5 * (self.left(X, Y) + self.right(X, Y))",
        kernels("Sum"),
    ),
    Mutation(
        "kernels/polynomial.py",
        "scale**powers * offset ** (degree - powers)",
        "scale**powers * offset**powers",
        kernels("Polynomial"),
    ),
    Mutation(
        "kernels/exponential_dot.py",
        "np.exp(-2.0 * powers * np.log(",
        "np.exp(-powers * np.log(",
        kernels("ExponentialDot"),
    ),
    Mutation("kernels/vovk.py", "values = values * t + 1.0", "values = values * t + t", kernels("Vovk")),
    Mutation("kernels/arc_cosine.py", "odd / (2.0 * k + 2.0)", "odd / (2.0 * k + 1.0)", kernels("ArcCosine")),
    Mutation(
        "kernels/arc_cosine.py",
        "squared_norms(X) ** (0.5 * self",
        "squared_norms(X) ** (1.0 * self",
        kernels("ArcCosine"),
    ),
    Mutation(
        "kernels/dot_product.py",
        "np.convolve(self.left.coefficients(n_terms), self.right.coefficients(n_terms))[:n_terms]",
        "self.left.coefficients(n_terms) * self.right.coefficients(n_terms)",
        kernels("DotProductProduct"),
    ),
    Mutation(
        "kernels/additive.py",
        "hyperbolic_secant(0.5 * np.asarray(log_ratio))",
        "hyperbolic_secant(np.asarray(log_ratio))",
        kernels("AdditiveChi2 or Intersection"),
    ),
    Mutation(
        "kernels/additive.py",
        "(2.0 / np.pi) / (1.0 + 4.0",
        "(1.0 / np.pi) / (1.0 + 4.0",
        kernels("AdditiveChi2 or Intersection"),
    ),
    Mutation(
        "kernels/additive.py",
        "0.5 * rng.standard_cauchy(n)",
        "rng.standard_cauchy(n)",
        kernels("AdditiveChi2 or Intersection"),
    ),
    Mutation(
        "kernels/length_words.py",
        "np.searchsorted(reached, 0.5 * reached[-1])",
        "np.searchsorted(reached, 0.05 * reached[-1])",
        ("tests/maps/test_fourier.py", "-k", "words"),
    ),
]

OF_MAPS = [
    Mutation(
        "maps/fourier.py",
        "scale = float(np.sqrt(2.0 / total))",
        "scale = float(np.sqrt(1.0 / total))",
        pairs("FourierFeatures and Cauchy"),
    ),
    Mutation(
        "maps/fourier.py",
        "shifted_cosine(turns[:, pairs:], self.phases, scale,",
        "shifted_cosine(turns[:, pairs:], 0.0 * self.phases, scale,",
        pairs("shifted and Cauchy"),
    ),
    Mutation(
        "maps/directions.py",
        "(rng.permutation(n) + rng.random(n)) / n",
        "(rng.permutation(n) + rng.random(n)) / (2 * n)",
        pairs("orthogonal and Gaussian"),
    ),
    Mutation(
        "maps/directions.py",
        "(norms * np.sqrt(size) * 2.0 * np.pi)",
        "(norms * 2.0 * np.pi)",
        pairs("fastfood and Gaussian"),
    ),
    Mutation(
        "maps/directions.py",
        "(size**1.5 * 2.0 * np.pi)",
        "(size * 2.0 * np.pi)",
        ("tests/maps/test_fourier.py", "-k", "hadamard"),
    ),
    Mutation(
        "maps/directions.py",
        "kernel.frequencies(inside[:, :-1], dim)",
        "kernel.frequencies(0.5 * inside[:, :-1], dim)",
        pairs("halton and Cauchy"),
    ),
    Mutation("maps/binning.py", "n_components**-0.5)", "n_components**-1.0)", pairs("BinningFeatures and Laplace")),
    Mutation(
        "maps/binning.py",
        "PITCHES[self.pitches](kernel,",
        "2.0 * PITCHES[self.pitches](kernel,",
        pairs("BinningFeatures and Laplace"),
    ),
    Mutation(
        "maps/binning.py", 'self.hashing == "signed")', 'self.hashing == "plain")', pairs("BinningFeatures and Laplace")
    ),
    Mutation(
        "maps/additive.py",
        "np.full(order, 0.5 / order)",
        "np.full(order, 1.0 / order)",
        pairs("AdditiveFeatures and random"),
    ),
    Mutation(
        "maps/additive.py", "np.maximum(0.5 * values, 0.0)", "np.maximum(values, 0.0)", ("tests/maps/test_additive.py",)
    ),
    Mutation(
        "maps/maclaurin.py",
        "/ law[degrees] * columns / n)",
        "/ law[degrees] / n)",
        pairs("MaclaurinFeatures and complex and ExponentialDot"),
    ),
    Mutation(
        "maps/maclaurin.py",
        "LinearFunction(np.sqrt(coefficients[0]), 0.0,",
        "LinearFunction(coefficients[0], 0.0,",
        pairs("MaclaurinFeatures and Polynomial"),
    ),
    Mutation(
        "maps/maclaurin.py", "slope = np.sqrt(coefficients[1])", "slope = coefficients[1]", pairs("h01 and Polynomial")
    ),
    Mutation("maps/maclaurin.py", "law[degrees] / n))", "law[degrees]) / n)", pairs("Composed and Sum")),
    Mutation(
        "maps/degrees.py",
        "(rng.random() + np.arange(n)) / n",
        "np.arange(n) / n",
        pairs("MaclaurinFeatures and Polynomial"),
    ),
    Mutation(
        "maps/tensor_sketch.py",
        "2.0 * rng.integers(0, 2, size=shape) - 1.0",
        "1.0 + 0.0 * rng.integers(0, 2, size=shape)",
        pairs("TensorSketch"),
    ),
    Mutation("maps/nystroem.py", "np.tril(inverse).T", "np.tril(inverse)", ("tests/maps/test_nystroem.py",)),
]

OF_LOSSES = [
    Mutation(
        "losses.py", "-2.0 * y * np.maximum(0.0, 1.0 - y * score)", "-y * np.maximum(0.0, 1.0 - y * score)", LOSSES
    ),
    Mutation(
        "losses.py",
        "probability = expit(score)\n        return probability * (1.0 - probability)",
        "probability = expit(score)\n        return probability",
        LOSSES,
    ),
    Mutation("losses.py", "softmax(score, axis=1) - y", "softmax(score, axis=1) + y", LOSSES),
    Mutation(
        "losses.py",
        "probability * (change - (probability * change)",
        "probability * (change + (probability * change)",
        LOSSES,
    ),
    Mutation("losses.py", "near * (np.abs(y - score) - 0.5 * near)", "near * (np.abs(y - score) - near)", LOSSES),
    Mutation("losses.py", "lower * (residual < -self.tube)", "lower * (residual < self.tube)", LOSSES),
    Mutation("losses.py", "self.quantile - 1.0, self.quantile", "-self.quantile, 1.0 - self.quantile", LOSSES),
    Mutation(
        "losses.py", "2.0 * (np.abs(y - score) > self.epsilon)", "1.0 * (np.abs(y - score) > self.epsilon)", LOSSES
    ),
    Mutation("losses.py", "np.square(y - score)", "0.5 * np.square(y - score)", LOSSES),
    Mutation(
        "solvers/smoothing.py",
        "dual * (residual - 0.5 * self.width * dual)",
        "dual * (residual - self.width * dual)",
        LOSSES,
    ),
]

OF_STATISTICS = [
    Mutation(
        "statistics/moments.py", "factor = self.total_weight * weight / total", "factor = weight / total", STATISTICS
    ),
    Mutation(
        "statistics/moments.py", "root = None if block.weight is None else np.sqrt(weight)", "root = None", STATISTICS
    ),
    Mutation(
        "statistics/moments.py",
        "self.feature_mean += shift * (weight / total)",
        "self.feature_mean += shift * (self.total_weight / total)",
        STATISTICS,
    ),
    Mutation(
        "statistics/normal.py", "weighted = weight[:, None] * np.column_stack", "weighted = np.column_stack", STATISTICS
    ),
    Mutation(
        "statistics/normal.py",
        'np.einsum("ij,ij->j", weighted, scores',
        'np.einsum("ij,ij->j", scores, scores',
        STATISTICS,
    ),
    Mutation("statistics/gradient.py", "scores + step * change", "scores - step * change", STATISTICS),
    Mutation(
        "statistics/gradient.py",
        "self.point.add_adjoint(block, weight * change,",
        "self.point.add_adjoint(block, change,",
        STATISTICS,
    ),
    Mutation(
        "statistics/gradient.py",
        "(weight * self.loss.value(y, scores)).sum",
        "self.loss.value(y, scores).sum",
        STATISTICS,
    ),
    Mutation(
        "statistics/curvature.py",
        "change = weight * self.loss.curvature(y, self.point.scores(block))",
        "change = self.loss.curvature(y, self.point.scores(block)) + 0.0 * weight",
        STATISTICS,
    ),
    Mutation("statistics/curvature.py", "change -= weight * self.loss", "change += weight * self.loss", STATISTICS),
    Mutation("statistics/clusters.py", "norms - 2 * design.scores", "norms - design.scores", STATISTICS),
    Mutation("statistics/dependence.py", "left.T @ right[order]", "left[order].T @ right", STATISTICS),
    Mutation(
        "statistics/held_out.py",
        "scores.argmax(axis=1) != y.argmax(axis=1)",
        "scores.argmax(axis=1) == y.argmax(axis=1)",
        STATISTICS,
    ),
    Mutation(
        "statistics/row_sample.py",
        "np.concatenate([self.weights[:held], weights])",
        "np.concatenate([self.weights[:held], np.ones(len(weights))])",
        STATISTICS,
    ),
]

OF_THEORY = [
    Mutation(
        "theory/variance.py",
        "0.5 * (1.0 + kernel.at(2.0 * delta) - 2.0 * kernel.at(delta) ** 2)",
        "0.5 * (1.0 + kernel.at(2.0 * delta) - kernel.at(delta) ** 2)",
        ("tests/theory/test_variance.py",),
    ),
    Mutation(
        "theory/variance.py",
        "(single * (4 * n_pairs + n_shifted)",
        "(single * (2 * n_pairs + n_shifted)",
        ("tests/theory/test_variance.py",),
    ),
    Mutation("theory/binning.py", "(k * (1.0 - k) - gain) / grids", "(k * (1.0 + k) - gain) / grids", PRODUCTS),
    Mutation("theory/binning.py", "2.0 * expn(3, r) - np.exp(-2.0 * r)", "expn(3, r) - np.exp(-2.0 * r)", PRODUCTS),
    Mutation(
        "theory/tensor_sketch.py", "parallel + crossed - 2.0 * product**p", "parallel + crossed - product**p", PRODUCTS
    ),
    Mutation(
        "theory/maclaurin.py",
        "squares - np.where(finite, means, 0.0)",
        "squares + np.where(finite, means, 0.0)",
        PRODUCTS,
    ),
    Mutation("theory/maclaurin.py", "(p - 1.0) * p ** -(degree", "p ** -(degree", PRODUCTS),
    Mutation("theory/pointwise.py", "eps**2 / (4.0 if paired else 8.0)", "eps**2 / (8.0 if paired else 4.0)", BOUNDS),
    Mutation("theory/pointwise.py", "spread + 2.0 * eps / 3.0", "spread + eps / 3.0", BOUNDS),
    Mutation(
        "theory/inequalities.py",
        "np.exp(-2.0 * positive(deviation",
        "np.exp(-positive(deviation",
        ("tests/theory/test_inequalities.py",),
    ),
    Mutation(
        "theory/inequalities.py",
        "eps**2 / 2.0 - eps**3 / 3.0))",
        "eps**2 / 2.0 + eps**3 / 3.0))",
        ("tests/theory/test_inequalities.py",),
    ),
    Mutation("theory/uniform.py", "slope if paired else slope / 3.0", "slope / 3.0 if paired else slope", BOUNDS),
]

OF_SOLVERS = [
    Mutation("solvers/ridge.py", "slack = 1.0 - freedom / self.n_rows", "slack = 1.0 + freedom / self.n_rows", RIDGE),
    Mutation(
        "solvers/ridge.py",
        "moments.target_mean - moments.feature_mean @ coefficients",
        "moments.target_mean + moments.feature_mean @ coefficients",
        RIDGE,
    ),
    Mutation("solvers/ridge.py", "2 * gain - self.values * gain**2", "gain - self.values * gain**2", RIDGE),
    Mutation(
        "solvers/evidence.py",
        "-0.5 * (log_determinant + quadratic +",
        "-0.5 * (log_determinant - quadratic +",
        PROCESS,
    ),
    Mutation(
        "solvers/evidence.py",
        "(noise * amplitude * np.sqrt(shrunk))",
        "(noise * np.sqrt(shrunk))",
        PROCESS,
    ),
    Mutation(
        "solvers/leave_one_out.py",
        "self.targets - (self.targets - fitted) / sure",
        "self.targets - (self.targets - fitted) * sure",
        ("tests/solvers/test_leave_one_out.py",),
    ),
    Mutation(
        "solvers/leave_one_out.py",
        "1.0 - np.minimum(self.weights, most) *",
        "1.0 -",
        ("tests/solvers/test_leave_one_out.py",),
    ),
    Mutation(
        "solvers/conjugate_gradients.py",
        "new_size / np.where(moving, size, 1.0)",
        "-new_size / np.where(moving, size, 1.0)",
        ("tests/solvers/test_conjugate_gradients.py",),
    ),
    Mutation(
        "solvers/newton_cg.py",
        "residual -= column * shift",
        "residual += column * shift",
        ("tests/solvers/test_preconditioner.py", "-k", "second_derivative"),
    ),
    Mutation(
        "solvers/normal_equations.py",
        "seen.score_squares - self.share * seen.score_sum + self.alpha",
        "seen.score_squares + self.alpha",
        ("tests/learners/test_ridge_solvers.py", "-k", "moments_agree"),
    ),
    Mutation(
        "solvers/majorised.py",
        "(1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0",
        "1.0 + np.sqrt(1.0 + 4.0 * momentum**2)",
        ("tests/solvers/test_majorised.py",),
    ),
    Mutation(
        "solvers/newton.py",
        "matrix = objective.penalty * curvature[:size, :size]",
        "matrix = 1.0 * curvature[:size, :size]",
        SVM,
    ),
    Mutation(
        "solvers/dual_coordinate.py",
        "penalty * weight * bound",
        "penalty * bound",
        SVM,
    ),
    Mutation(
        "solvers/lloyd.py",
        "weight * closest",
        "closest",
        ("tests/learners/test_invariances.py", "-k", "weight_of_three and means"),
    ),
    Mutation(
        "blocks/folded.py",
        "np.concatenate([[0], np.cumsum(rows_per_block)])",
        "np.concatenate([[1], np.cumsum(rows_per_block)])",
        ("tests/contracts/test_sources.py", "-k", "folds and ArrayBlocks"),
    ),
    Mutation(
        "blocks/folded.py",
        "weight=weight * kept",
        "weight=kept.astype(float)",
        ("tests/contracts/test_sources.py", "-k", "folds and ArrayBlocks"),
    ),
]

OF_SCALES = [
    Mutation("scales/gram.py", "(weights * change) / (2.0 * STEP)", "(weights * change) / STEP", GRAM),
    Mutation("scales/gram.py", "return 2.0 * (squares -", "return (squares -", GRAM),
    Mutation("scales/gram.py", "2.0 * np.sum(weights * share)", "np.sum(weights * share)", GRAM),
    Mutation("scales/gram.py", "2.0 * manhattan_pullback", "manhattan_pullback", GRAM),
    Mutation("scales/evidence.py", "(fit + c * (log_determinant", "(fit + (log_determinant", EVIDENCE),
    Mutation("scales/evidence.py", "(squares - c * trace)", "(squares - trace)", EVIDENCE),
    Mutation("scales/evidence.py", "0.5 * (fit - n * c) - by_noise", "0.5 * (fit - n * c)", EVIDENCE),
    Mutation("scales/evidence.py", "A.flat[:: n + 1] = a2 + s2", "A.flat[:: n + 1] = 1.0 + s2", EVIDENCE),
    Mutation("scales/evidence.py", "G *= -c", "G *= -1.0", EVIDENCE),
    Mutation("scales/maximise.py", "place[groups], *place", "place[: len(groups)], *place", EVIDENCE),
    Mutation("scales/fixed_draws.py", "unseen / s2 + np.trace", "np.trace", DRAWS),
    Mutation("scales/fixed_draws.py", "unseen * log_noise + 2 *", "2 *", DRAWS),
    Mutation("scales/fixed_draws.py", "by_factors -= np.einsum", "by_factors += np.einsum", DRAWS),
    Mutation("scales/fixed_draws.py", "pulls - pulls.mean(where=seen)", "pulls", DRAWS),
    Mutation("scales/metric.py", "gradients.T @ gradients / len(rows)", "gradients.T @ gradients", METRIC),
    Mutation("scales/metric.py", "- total[:, None] * some", "+ total[:, None] * some", METRIC),
    Mutation("scales/rules.py", "np.argsort(values)[::-1]", "np.argsort(values)", RULES),
    Mutation("scales/rules.py", "kernel.distance) / units", "kernel.distance) * units", RULES),
    Mutation("scales/random_rows.py", "np.square(spread)) / counts", "np.square(spread))", RULES),
    Mutation(
        "scales/neighbourhoods.py",
        "/ np.square(scales)",
        "* np.square(scales)",
        ("tests/scales/test_neighbourhoods.py",),
    ),
]

MUTATIONS = [*OF_KERNELS, *OF_MAPS, *OF_LOSSES, *OF_STATISTICS, *OF_THEORY, *OF_SOLVERS, *OF_SCALES]
