/* The tree of a parsed template: what parser (template.c) and renderer (render.c) share. */
#ifndef NVADVISE_TEMPLATES_TREE_H
#define NVADVISE_TEMPLATES_TREE_H

#include "templates/template.h"

#define TEMPLATE_DEPTH_MAX 16

enum node_kind { NODE_TEXT, NODE_VALUE, NODE_CODE, NODE_SECTION, NODE_INVERTED };

struct node {
    enum node_kind kind;
    struct span text; /* NODE_TEXT: bytes; else the dotted name */
    unsigned line;
    struct node *kids;
    struct node *last_kid;
    struct node *next;
};

struct template {
    const char *name;
    enum escape escape;
    const char *file;
    struct node *first;
};

#endif
