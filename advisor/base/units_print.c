/* Printing figures: for people, and as literals. Knows no facts and no settings; reading literals
 * is in units.c. */
#include "advisor/base/units.h"

#include <math.h>

#include "advisor/base/banned.h"

/* Figures this near to a whole number are whole: 1.1 * 210 GiB is 231 GiB, whatever the doubles. */
#define WHOLE_TOLERANCE 1e-9

/* From here on a real has no decimals worth showing, and then no digits worth grouping. */
#define NO_DECIMALS_FROM 1e15
#define NO_GROUPS_FROM 1e21

/* A unit to print in: `mul` / `div` of its base unit. */
struct step {
    const char *name;
    uint64_t mul;
    uint64_t div;
};

static const struct step byte_steps[] = {
    {"B", 1, 1},
    {"KiB", (uint64_t)1 << 10, 1},
    {"MiB", (uint64_t)1 << 20, 1},
    {"GiB", (uint64_t)1 << 30, 1},
    {"TiB", (uint64_t)1 << 40, 1},
    {"PiB", (uint64_t)1 << 50, 1},
    {"EiB", (uint64_t)1 << 60, 1},
};

static const struct step time_steps[] = {
    {"us", 1, 1000000}, {"ms", 1, 1000}, {"s", 1, 1},
    {"min", 60, 1},     {"h", 3600, 1},  {"d", 86400, 1},
};

#define TIME_STEP_SECOND 2

static bool same_num(struct num a, struct num b)
{
    return a.tag == b.tag && num_cmp(a, b) == 0;
}

/* Exponents above `from` of all dimensions, with their names, as "bytes*seconds^2". */
static bool print_powers(struct buf *b, struct dim d, int sign)
{
    const struct {
        int power;
        const char *above, *below;
    } parts[] = {
        {sign * d.byte, "bytes", "byte"},
        {sign * d.second, "seconds", "s"},
        {sign * d.celsius, "celsius", "celsius"},
    };
    bool any = false;

    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (parts[i].power <= 0)
            continue;
        if (sign < 0)
            buf_add_char(b, '/');
        else if (any)
            buf_add_char(b, '*');
        buf_add_text(b, sign > 0 ? parts[i].above : parts[i].below);
        if (parts[i].power > 1)
            buf_printf(b, "^%d", parts[i].power);
        any = true;
    }
    return any;
}

void dim_print(struct buf *b, struct dim d)
{
    if (dim_eq(d, DIM_NONE)) {
        buf_add_text(b, "a plain number");
        return;
    }
    if (!print_powers(b, d, 1))
        buf_add_char(b, '1');
    print_powers(b, d, -1);
}

/* Add the text of a number with a comma after every third digit before the point. */
static void add_grouped(struct buf *b, struct span text)
{
    struct span rest = text;
    struct span whole = {"", 0};

    if (span_starts(rest, "-")) {
        buf_add_char(b, '-');
        rest = span_sub(rest, 1, rest.len);
    }
    text = rest;
    span_split(&rest, '.', &whole);
    for (size_t i = 0; i < whole.len; i++) {
        if (i > 0 && (whole.len - i) % 3 == 0)
            buf_add_char(b, ',');
        buf_add_char(b, whole.ptr[i]);
    }
    buf_add_span(b, span_sub(text, whole.len, text.len));
}

static void add_grouped_real(struct buf *b, int decimals, double v)
{
    struct buf text;

    buf_init(&text, b->arena, 64);
    buf_printf(&text, "%.*f", decimals, v);
    add_grouped(b, buf_span(&text));
}

/* A figure without unit: whole as it is, else with two decimals, and with two digits that count
 * where those would say 0. */
static void print_figure(struct buf *b, struct num n)
{
    struct buf text;
    const double v = num_to_double(n);
    const double size = fabs(v);

    if (n.tag == NUM_INT) {
        buf_init(&text, b->arena, 64);
        num_print(&text, n);
        add_grouped(b, buf_span(&text));
    } else if (size >= NO_GROUPS_FROM) {
        num_print(b, n);
    } else if (size >= NO_DECIMALS_FROM) {
        add_grouped_real(b, 0, v);
    } else if (size < 0.01) {
        buf_printf(b, "%.2g", v);
    } else if (rint(size) > 0 && fabs(size - rint(size)) <= size * WHOLE_TOLERANCE) {
        add_grouped_real(b, 0, v);
    } else {
        add_grouped_real(b, 2, v);
    }
}

/* n in units of the step. */
static enum num_status in_step(struct num n, const struct step *step, struct num *ret)
{
    const enum num_status st = num_mul(n, num_u64(step->div), ret);

    return st == NUM_OK ? num_div(*ret, num_u64(step->mul), ret) : st;
}

static double step_size(const struct step *step)
{
    return (double)step->mul / (double)step->div;
}

/* In the largest unit in which it is at least 1, counting what two decimals round up to that. */
static void print_scaled(struct buf *b, struct num n, const struct step *steps, size_t n_steps,
                         size_t zero_step)
{
    const double size = fabs(num_to_double(n));
    struct num q = n;
    size_t i = 0;

    if (num_is_zero(n)) {
        i = zero_step;
    } else {
        while (i + 1 < n_steps && size >= step_size(&steps[i + 1]) - 0.005 * step_size(&steps[i]))
            i++;
    }
    if (in_step(n, &steps[i], &q) != NUM_OK) {
        i = zero_step;
        q = n;
    }
    print_figure(b, q);
    buf_printf(b, " %s", steps[i].name);
}

static void print_percent(struct buf *b, struct num n)
{
    struct num percent;

    /* What does not fit as a percentage is a plain number. */
    if (num_mul(n, num_u64(100), &percent) != NUM_OK) {
        print_figure(b, n);
        return;
    }
    const double v = num_to_double(percent);

    if (percent.tag == NUM_REAL && fabs(v) < 999.95)
        buf_printf(b, "%.4g", v);
    else if (percent.tag == NUM_REAL && fabs(v) < NO_GROUPS_FROM)
        add_grouped_real(b, 0, v);
    else
        print_figure(b, percent);
    buf_add_text(b, " %");
}

/* Per second; what is rare is per hour, and what is rarer than that per day. */
static void print_rate(struct buf *b, struct num n)
{
    const bool rare = n.tag == NUM_REAL && fabs(n.real) < 0.01;
    const bool rarer = rare && fabs(n.real) * 3600 < 1 - WHOLE_TOLERANCE;

    if (rare && num_mul(n, num_u64(rarer ? 86400 : 3600), &n) == NUM_OK) {
        print_figure(b, n);
        buf_add_text(b, rarer ? "/d" : "/h");
        return;
    }
    print_figure(b, n);
    buf_add_text(b, "/s");
}

void units_print(struct buf *b, struct num n, struct dim d, bool is_ratio)
{
    if (n.tag == NUM_UNLIMITED) {
        num_print(b, n);
    } else if (dim_eq(d, DIM_NONE)) {
        if (is_ratio)
            print_percent(b, n);
        else
            print_figure(b, n);
    } else if (dim_eq(d, DIM_BYTES) || dim_eq(d, DIM_BYTES_PER_S)) {
        print_scaled(b, n, byte_steps, ARRAY_LEN(byte_steps), 0);
        if (d.second != 0)
            buf_add_text(b, "/s");
    } else if (dim_eq(d, DIM_SECONDS)) {
        print_scaled(b, n, time_steps, ARRAY_LEN(time_steps), TIME_STEP_SECOND);
    } else if (dim_eq(d, DIM_RATE)) {
        print_rate(b, n);
    } else {
        print_figure(b, n);
        buf_add_char(b, ' ');
        if (dim_eq(d, DIM_CELSIUS))
            buf_add_text(b, "degC");
        else
            dim_print(b, d);
    }
}

/* Whole numbers in the largest unit that divides them, all else in the base unit. */
static void print_exact(struct buf *b, struct num n, const struct step *steps, size_t n_steps)
{
    size_t i = n_steps - 1;

    /* The base unit is the last with mul 1: steps below it only divide. */
    while (steps[i].mul > 1 && (n.tag != NUM_INT || n.mag == 0 || n.mag % steps[i].mul != 0))
        i--;
    n.mag /= steps[i].mul;
    num_print(b, n);
    buf_add_text(b, steps[i].name);
}

/* As "82%" when some digits before the sign read back to n; else the bare number does. */
static void print_exact_percent(struct buf *b, struct num n)
{
    struct num percent, back;
    struct dim d;
    struct buf text;

    if (num_mul(n, num_u64(100), &percent) == NUM_OK) {
        for (int digits = 15; digits <= 17; digits++) {
            buf_init(&text, b->arena, 64);
            if (percent.tag == NUM_INT)
                num_print(&text, percent);
            else
                buf_printf(&text, "%.*g", digits, percent.real);
            buf_add_char(&text, '%');
            if (units_parse(buf_span(&text), &back, &d, NULL) && same_num(back, n)) {
                buf_add_span(b, buf_span(&text));
                return;
            }
        }
    }
    num_print(b, n);
}

void units_print_literal(struct buf *b, struct num n, struct dim d, bool is_ratio)
{
    if (n.tag == NUM_UNLIMITED) {
        num_print(b, n);
    } else if (dim_eq(d, DIM_NONE)) {
        if (is_ratio)
            print_exact_percent(b, n);
        else
            num_print(b, n);
    } else if (dim_eq(d, DIM_BYTES) || dim_eq(d, DIM_BYTES_PER_S)) {
        print_exact(b, n, byte_steps, ARRAY_LEN(byte_steps));
        if (d.second != 0)
            buf_add_text(b, "/s");
    } else if (dim_eq(d, DIM_SECONDS)) {
        print_exact(b, n, time_steps, ARRAY_LEN(time_steps));
    } else if (dim_eq(d, DIM_RATE)) {
        num_print(b, n);
        buf_add_text(b, "/s");
    } else {
        num_print(b, n);
        if (dim_eq(d, DIM_CELSIUS)) {
            buf_add_text(b, "degC");
            return;
        }
        /* No literal has such a dimension: for people only. */
        buf_add_char(b, ' ');
        dim_print(b, d);
    }
}

/* Up to that many decimals, without zeros at the end. */
static void print_decimals(struct buf *b, double v, int decimals)
{
    struct buf text;

    buf_init(&text, b->arena, 400);
    buf_printf(&text, "%.*f", decimals, v);
    struct span s = buf_span(&text);
    while (decimals > 0 && s.len > 0 && s.ptr[s.len - 1] == '0')
        s.len--;
    if (s.len > 0 && s.ptr[s.len - 1] == '.')
        s.len--;
    add_grouped(b, s);
}

void units_print_decimal(struct buf *b, struct num n, struct dim d)
{
    static const struct {
        const char *name;
        double size;
        int decimals;
    } steps[] = {{"B", 1, 0},     {"kB", 1e3, 1},  {"MB", 1e6, 1}, {"GB", 1e9, 2},
                 {"TB", 1e12, 3}, {"PB", 1e15, 3}, {"EB", 1e18, 3}};
    const double v = num_to_double(n);
    size_t at = 0;

    if (n.tag == NUM_UNLIMITED || (!dim_eq(d, DIM_NONE) && !dim_eq(d, DIM_BYTES))) {
        units_print(b, n, d, false);
        return;
    }
    if (dim_eq(d, DIM_NONE)) {
        print_decimals(b, v, 4);
        return;
    }
    while (at + 1 < ARRAY_LEN(steps) && fabs(v) >= steps[at + 1].size)
        at++;
    print_decimals(b, v / steps[at].size, steps[at].decimals);
    buf_printf(b, " %s", steps[at].name);
}
