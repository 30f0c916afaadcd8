import type { PRIORITIES as NAMES } from '../../../../src/core/job/record.ts'

/** The most urgent first, as the server has them: a job has the place of its own in this list. */
export const PRIORITIES: typeof NAMES = ['critical', 'high', 'normal', 'low']
