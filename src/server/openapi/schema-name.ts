import { z } from 'zod'

/** The name that a schema goes by in the document. */
export function nameOf(schema: z.ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.id
}
