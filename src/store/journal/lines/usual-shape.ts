export type Fields = { readonly [field: string]: unknown }

type Mutable<T> = { -readonly [F in keyof T]?: T[F] }

/** What no field ever is. */
const NEVER: readonly string[] = Object.freeze(['never'])

/**
 * The usual values of new records, in an object of the same shape as the records: JavaScript engines compare two such
 * objects field by field several times faster than two of different shapes.
 */
export class UsualShape<T extends object> {
  readonly #usual: Fields
  #shape: Mutable<T> | null = null

  constructor(usual: object) {
    this.#usual = usual as Fields
  }

  /** To be filled in with what the line says. It is the same object every time: nobody keeps it. */
  like(record: T): Mutable<T> {
    this.#shape ??= this.#shapeOf(record)
    return this.#shape
  }

  #shapeOf(record: T): Mutable<T> {
    const shape = { ...record } as { [field: string]: unknown }
    for (const field in shape) shape[field] = Object.hasOwn(this.#usual, field) ? this.#usual[field] : NEVER
    return shape as Mutable<T>
  }
}
