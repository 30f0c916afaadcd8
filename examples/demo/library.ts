/** What the world has in store for an attempt at a step. */
export type Fate =
  | { readonly kind: 'works' }
  | { readonly kind: 'fails'; readonly code: string; readonly message: string; readonly retryable: boolean }
  /** The worker or service is never heard of again, or only when it is too late. */
  | { readonly kind: 'falls silent' }

export interface Pdf {
  readonly tenant_id: string
  readonly doc_id: string
  readonly job_id: string
  readonly number: number
}

export const TENANTS = ['aurora', 'borealis'] as const

const PDFS_OF = { aurora: 540, borealis: 360 } as const

const WORKS: Fate = { kind: 'works' }
const SILENT: Fate = { kind: 'falls silent' }
const BUSY: Fate = { kind: 'fails', code: 'HTTP_503', message: 'The source is overloaded', retryable: true }
const LOCKED: Fate = {
  kind: 'fails',
  code: 'ENCRYPTED_PDF',
  message: 'The file needs a password',
  retryable: false,
}

/** The document whose whole history is shown at the end: it meets most of what can go wrong. */
export const UNLUCKY = 'aurora:0034'

export function pdfsOf(tenant_id: (typeof TENANTS)[number]): readonly Pdf[] {
  return Array.from({ length: PDFS_OF[tenant_id] }, (_, i) => {
    const name = String(i + 1).padStart(4, '0')
    return { tenant_id, doc_id: `${tenant_id}:${name}`, job_id: `ingest-${tenant_id}-${name}`, number: i + 1 }
  })
}

/** Already in the library: not worth a job. */
export function isKnown({ number }: Pdf): boolean {
  return number % 40 === 0
}

/** The same for every run of the demo: nothing is left to chance but the time it takes. */
export function fateOf(number: number, step_id: string, attempt_no: number): Fate {
  switch (step_id) {
    case 'download':
      if (number % 150 === 75) return BUSY
      return number % 17 === 0 && attempt_no === 1 ? BUSY : WORKS
    case 'ocr':
      if (number % 62 === 0) return LOCKED
      return (number === 34 || number % 58 === 0) && attempt_no === 1 ? SILENT : WORKS
    case 'embed':
      return number % 90 === 50 && attempt_no === 1 ? SILENT : WORKS
    default:
      return WORKS
  }
}

const SECONDS_OF: { readonly [step_id: string]: readonly [least: number, most: number] } = {
  download: [0.4, 3],
  ocr: [4, 25],
  parse: [0.5, 2],
  embed: [2, 5],
  index: [8, 20],
}

/** How long a step takes, in milliseconds: spread evenly by a number that looks random and is not. */
export function durationOf(number: number, step_id: string): number {
  const [least, most] = SECONDS_OF[step_id] ?? [1, 1]
  const spread = ((number * 7919 + step_id.length * 104_729) % 997) / 997
  return Math.round((least + (most - least) * spread) * 1000)
}
