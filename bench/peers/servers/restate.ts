import type { RestatePorts } from '../system.ts'

export interface Restate {
  readonly ports: RestatePorts
  stop(): Promise<void>
}

export function restateVersion(): string | null {
  return null
}

export function startRestate(_folder: string): Promise<Restate> {
  return Promise.reject(new Error('not yet'))
}
