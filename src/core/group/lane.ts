export const LANES = ['waiting', 'running', 'fixing', 'quarantine', 'completed'] as const

export type Lane = (typeof LANES)[number]
