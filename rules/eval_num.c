/* Arithmetic of the rule language on known numbers: exact for whole numbers, total, every failure a
 * text. Knows nothing of facts or Kleene logic. */
#include <math.h>

#include "rules/eval_int.h"

#include "advisor/base/banned.h"

static const char *status_text(enum num_status s)
{
    switch (s) {
    case NUM_OK:
        return NULL;
    case NUM_OVERFLOW:
        return "overflow";
    case NUM_DIV_ZERO:
        return "division by zero";
    case NUM_UNDEFINED:
        break;
    }
    return "no defined result with unlimited";
}

static const char *whole_steps(struct num x, struct num step, bool up, struct num *ret)
{
    nv_u128 n = x.mag / step.mag;
    const bool away = up != x.neg; /* from zero */
    if (x.mag % step.mag != 0 && away) {
        n++; /* cannot wrap: step is at least 2 when there is a rest */
    }
    struct num steps = num_u128(n);
    steps.neg = x.neg && n > 0;
    return status_text(num_mul(steps, step, ret));
}

/* x down or up to a multiple of step. Exact between whole numbers; with reals, a quotient within one
 * part in a thousand million of a whole number is that number (0.3 s is three steps of 0.1 s). */
static const char *to_step(struct num x, struct num step, bool up, struct num *ret)
{
    if (step.tag == NUM_UNLIMITED || num_cmp(step, num_u64(0)) <= 0) {
        return num_is_zero(step) ? "division by zero" : "a step that is not above zero and finite";
    }
    if (x.tag == NUM_UNLIMITED) {
        *ret = x;
        return NULL;
    }
    if (x.tag == NUM_INT && step.tag == NUM_INT) {
        return whole_steps(x, step, up, ret);
    }
    const double q = num_to_double(x) / num_to_double(step);
    if (!isfinite(q)) {
        return "overflow";
    }
    const double near = nearbyint(q);
    const double slack = 1e-9 * fmax(1.0, fabs(q));
    const double steps = fabs(q - near) <= slack ? near : up ? ceil(q) : floor(q);
    return status_text(num_mul(num_real(steps), step, ret));
}

/* Down to 1, 2 or 5 times a power of ten, the smallest step being 1: below 1 it is 0. */
static nv_u128 grid125(nv_u128 x)
{
    nv_u128 power = 1;
    while (x / power >= 10) {
        power *= 10;
    }
    const unsigned digit = (unsigned)(x / power);
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : digit);
}

static nv_u128 pow2(nv_u128 x)
{
    nv_u128 power = 1;
    while (x / power >= 2) {
        power *= 2;
    }
    return x == 0 ? 0 : power;
}

static const char *to_grid(enum expr_op op, struct num x, struct num *ret)
{
    struct num whole;
    if (num_floor(x, &whole) != NUM_OK || whole.tag == NUM_REAL) {
        return "overflow"; /* past 128 bits */
    }
    if (whole.tag == NUM_INT && whole.neg) {
        return "a negative number on a grid";
    }
    *ret = whole;
    if (whole.tag == NUM_INT) {
        *ret = num_u128(op == EXPR_GRID125 ? grid125(whole.mag) : pow2(whole.mag));
    }
    return NULL;
}

static struct num extreme(enum expr_op op, const struct num *v, size_t n)
{
    struct num best = v[0];
    for (size_t i = 1; i < n; i++) {
        const int c = num_cmp(v[i], best);
        if (op == EXPR_MIN ? c < 0 : c > 0) {
            best = v[i];
        }
    }
    return best;
}

static struct num clamp(const struct num *v)
{
    const struct num raised[2] = {v[0], v[1]};
    const struct num bounded[2] = {extreme(EXPR_MAX, raised, 2), v[2]};
    return extreme(EXPR_MIN, bounded, 2); /* the upper bound last: it wins */
}

const char *eval_arithmetic_op(enum expr_op op, const struct num *v, size_t n, struct num *ret)
{
    switch ((int)op) {
    case EXPR_ADD:
        return status_text(num_add(v[0], v[1], ret));
    case EXPR_SUB:
        return status_text(num_sub(v[0], v[1], ret));
    case EXPR_MUL:
        return status_text(num_mul(v[0], v[1], ret));
    case EXPR_DIV:
        return status_text(num_div(v[0], v[1], ret));
    case EXPR_NEG:
        return status_text(num_sub(num_u64(0), v[0], ret));
    case EXPR_FLOOR:
        return status_text(num_floor(v[0], ret));
    case EXPR_MIN:
    case EXPR_MAX:
        *ret = extreme(op, v, n);
        return NULL;
    case EXPR_CLAMP:
        *ret = clamp(v);
        return NULL;
    case EXPR_FLOOR_TO:
    case EXPR_CEIL_TO:
        return to_step(v[0], v[1], op == EXPR_CEIL_TO, ret);
    default: /* EXPR_GRID125, EXPR_POW2 */
        return to_grid(op, v[0], ret);
    }
}
