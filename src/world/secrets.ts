import { randomBytes } from 'node:crypto'

/** Bytes that nobody can guess. For secrets, and for nothing else: dice are cheaper. */
export interface Secrets {
  bytes(count: number): Uint8Array
}

export const systemSecrets: Secrets = { bytes: (count) => randomBytes(count) }
