import { AssertionError } from 'node:assert/strict'

/** Waits for something that should happen by itself, and says what it was that did not. */
export async function within<T>(ms: number, promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `${what}: nothing for ${ms} ms`
    timer = setTimeout(() => reject(new AssertionError({ message })), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
