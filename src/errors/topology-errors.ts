import { WaybillError } from './waybill-error.ts'

/** One thing that is wrong with a topology, and where. */
export type TopologyMistake = {
  /** From 1; null for a topology that was made in code. */
  readonly line: number | null
  readonly column: number | null
  readonly stage: string | null
  readonly code: string
  readonly message: string
}

/** Most that is told at once. */
const MOST_TOLD = 100

/** A pipeline that cannot be run, with everything that is wrong with it. */
export class InvalidTopology extends WaybillError {
  constructor({
    file,
    name,
    problems,
  }: {
    readonly file: string | null
    readonly name: string | null
    readonly problems: readonly TopologyMistake[]
  }) {
    const told = problems.slice(0, MOST_TOLD)
    const more = problems.length - told.length
    const what = file ?? (name === null ? 'The topology' : `The pipeline ${name}`)
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
    super({
      code: 'INVALID_TOPOLOGY',
      field: 'topology',
      message: [
        `${what} has ${count}:`,
        ...told.map((problem) => `${placeOf(file, problem)}${problem.message}`),
        ...(more > 0 ? [`and ${more} more`] : []),
      ].join('\n'),
      next: 'Correct what is named; nothing of it was taken over.',
      details: { file, problems: told },
    })
  }

  get problems(): readonly TopologyMistake[] {
    return this.details.problems as readonly TopologyMistake[]
  }
}

function placeOf(file: string | null, { line, column }: TopologyMistake): string {
  const place = [...(file === null ? [] : [file]), ...(line === null ? [] : [line, column])]
  return place.length === 0 ? '' : `${place.join(':')}: `
}
