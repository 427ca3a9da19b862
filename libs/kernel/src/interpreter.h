/* What quick calls use of CPython: functions, types and declarations of its stable ABI (from 3.10 on), said here once
 * more, so that building needs no headers of an interpreter, which machines without its development package lack. The
 * functions come in a table (libs/kernel/calls.py), so that the library links against no interpreter either.
 */
#ifndef SPARROW_KERNEL_INTERPRETER_H
#define SPARROW_KERNEL_INTERPRETER_H

#include <stddef.h>

/* As every object begins in interpreters with a lock; calls.py looks at the size. */
typedef struct {
    ptrdiff_t references;
    const void *type;
} sk_object;

typedef sk_object *sk_call(sk_object *self, sk_object *const *arguments, ptrdiff_t count);

/* PyMethodDef. */
typedef struct {
    const char *name;
    sk_call *call;
    int flags;
    const char *documentation;
} sk_method;

#define SK_FASTCALL 0x80
#define SK_TUPLE_SUBCLASS (1UL << 26)

/* In the order of calls.py. Numbers and tuples alone are looked into, so that reading an argument runs no code of
 * Python's, and nothing changes or goes meanwhile. */
typedef struct {
    long (*number)(sk_object *, int *overflow);            /* PyLong_AsLongAndOverflow */
    ptrdiff_t (*list_size)(sk_object *);                   /* PyList_Size */
    sk_object *(*list_item)(sk_object *, ptrdiff_t);       /* PyList_GetItem, borrowed */
    ptrdiff_t (*tuple_size)(sk_object *);                  /* PyTuple_Size */
    sk_object *(*tuple_item)(sk_object *, ptrdiff_t);      /* PyTuple_GetItem, borrowed */
    unsigned long (*flags)(const void *type);              /* PyType_GetFlags */
    sk_object *(*from_number)(long long);                  /* PyLong_FromLongLong */
    sk_object *(*from_bytes)(const char *, ptrdiff_t);     /* PyBytes_FromStringAndSize */
    sk_object *(*new_tuple)(ptrdiff_t);                    /* PyTuple_New */
    int (*put)(sk_object *tuple, ptrdiff_t, sk_object *);  /* PyTuple_SetItem, takes the reference */
    void (*keep)(sk_object *);                             /* Py_IncRef */
    void (*release)(sk_object *);                          /* Py_DecRef, of NULL too */
    sk_object *(*make)(const void *type, sk_object *arguments, sk_object *named); /* tp_new of tuple */
    const void *integer, *boolean, *list;                  /* types */
    sk_object *none, *unread;
} sk_interpreter;

#endif
