import { setFlagsFromString } from 'node:v8'

/**
 * A list of millions is read to be forgotten at once, beside programs that have work to do: rather clear up often than
 * let garbage grow to several times of what is in use. It takes longer so.
 */
export function keepMemorySmall(): void {
  setFlagsFromString('--optimize-for-size')
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=10')
}
