import type { z } from 'zod'

/**
 * What a schema describes has to be the interface, field by field, in both directions: a field that is added to one of them
 * and forgotten in the other does not compile.
 *
 * ```ts
 * export const rateSchema = schemaFor<Rate>()(z.strictObject({ max: z.int(), per_ms: z.int() }))
 * ```
 */
export function schemaFor<T>() {
  return <S extends z.ZodType>(schema: S & Agreement<z.output<S>, T>): S => schema
}

/** Nothing more is asked of a schema that agrees; else something that no schema has, which the compiler then shows. */
type Agreement<Described, T> =
  IsSame<Plain<Described>, Plain<T>> extends true ? unknown : Disagreement<Described, T>

interface Disagreement<Described, T> {
  readonly 'fields that the schema lacks': Exclude<keyof T, keyof Described>
  readonly 'fields that only the schema has': Exclude<keyof Described, keyof T>
  readonly 'fields that differ': {
    [K in keyof T & keyof Described]: IsSame<Plain<Described[K]>, Plain<T[K]>> extends true ? never : K
  }[keyof T & keyof Described]
}

/** That a field cannot be written to makes no difference in JSON. */
type Plain<T> = T extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Plain<T[K]> }
    : T

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
