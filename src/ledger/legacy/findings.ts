import { basename } from 'node:path'
import { LEGACY_FINDINGS, type LegacyFindingKind } from '../../core/document/legacy-line.ts'
import type { Disk } from '../../world/disk.ts'
import { NewFile } from '../../world/new-file.ts'

/** How many of each kind the summary shows. */
const MOST_EXAMPLES = 10

export interface FoundKind {
  readonly count: number
  /** The first of them, as `file:line: what`. */
  readonly examples: readonly string[]
}

export type FoundKinds = { readonly [kind in LegacyFindingKind]?: FoundKind }

/** What a migration found: counted, the first of each kind kept, and all of them in a report if one was asked for. */
export class Findings {
  readonly #input: string
  readonly #report: FindingsReport | null
  readonly #found = new Map<LegacyFindingKind, { count: number; examples: string[] }>()

  constructor(input: string, report: FindingsReport | null) {
    this.#input = basename(input)
    this.#report = report
  }

  add(kind: LegacyFindingKind, line: number, what: string): void {
    let found = this.#found.get(kind)
    if (found === undefined) {
      found = { count: 0, examples: [] }
      this.#found.set(kind, found)
    }
    found.count++
    if (found.examples.length < MOST_EXAMPLES) found.examples.push(`${this.#input}:${line}: ${what}`)
    this.#report?.add(this.#input, line, kind, what)
  }

  /** In a fixed order, whatever was found first. */
  kinds(): FoundKinds {
    const kinds = Object.keys(LEGACY_FINDINGS) as LegacyFindingKind[]
    return Object.fromEntries(
      kinds.flatMap((kind) => {
        const found = this.#found.get(kind)
        return found === undefined ? [] : [[kind, { count: found.count, examples: [...found.examples] }]]
      }),
    )
  }
}

/** Every finding, as it is found, and the summary at the end: text for people, or JSON when the name says so. */
export class FindingsReport {
  readonly #file: NewFile
  readonly #isJson: boolean
  #isFirst = true

  private constructor(file: NewFile, isJson: boolean) {
    this.#file = file
    this.#isJson = isJson
  }

  static async create(disk: Disk, path: string): Promise<FindingsReport> {
    const isJson = path.toLowerCase().endsWith('.json')
    const report = new FindingsReport(await NewFile.create(disk, path), isJson)
    if (isJson) report.#file.addText('{"findings":[')
    return report
  }

  add(file: string, line: number, kind: LegacyFindingKind, what: string): void {
    if (this.#isJson) {
      this.#file.addText(`${this.#isFirst ? '\n' : ',\n'}${JSON.stringify({ file, line, kind, what })}`)
    } else this.#file.addText(`${file}:${line}: ${kind}: ${what}\n`)
    this.#isFirst = false
  }

  flush(): Promise<void> {
    return this.#file.flush()
  }

  async finish(summary: object, asText: () => string): Promise<void> {
    if (this.#isJson) this.#file.addText(`\n],\n"summary":${JSON.stringify(summary, null, 2)}}\n`)
    else this.#file.addText(`${this.#isFirst ? '' : '\n'}${asText()}`)
    await this.#file.finish()
  }

  discard(): Promise<void> {
    return this.#file.discard()
  }
}
