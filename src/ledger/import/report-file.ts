// The report as a file: every record with what became of it, and the summary at the end. JSON, or Markdown for people.
import type { Disk } from '../../world/disk.ts'
import { NewFile } from '../../world/new-file.ts'
import type { FateCounts, Finding, ImportReport, Outcome } from './import-report.ts'
import type { OldRecord } from './old-record.ts'

export class ReportFile {
  readonly path: string
  readonly #file: NewFile
  readonly #isJson: boolean
  #isFirst = true

  private constructor(path: string, file: NewFile) {
    this.path = path
    this.#file = file
    this.#isJson = path.toLowerCase().endsWith('.json')
    this.#file.addText(this.#isJson ? '{"records":[' : HEADING)
  }

  static async create(disk: Disk, path: string): Promise<ReportFile> {
    return new ReportFile(path, await NewFile.create(disk, path))
  }

  add(record: OldRecord, outcome: Outcome): void {
    const { kind, id, queue, name, state, differences } = record
    const { fate, became, request_type, reason } = outcome
    if (this.#isJson) {
      const told = { kind, id, queue, name, state, fate, became, request_type, reason, differences }
      this.#file.addText(`${this.#isFirst ? '\n' : ',\n'}${JSON.stringify(told)}`)
    } else {
      const remarks = [...(reason === null ? [] : [reason]), ...(fate === 'taken' ? differences : [])]
      this.#file.addText(row([queue, id, name, state, fate, became ?? '', remarks.join('; ')]))
    }
    this.#isFirst = false
  }

  flush(): Promise<void> {
    return this.#file.flush()
  }

  async finish(report: ImportReport): Promise<void> {
    if (this.#isJson) this.#file.addText(`\n],\n"summary":${JSON.stringify(report, null, 2)}}\n`)
    else this.#file.addText(summaryText(report))
    await this.#file.finish()
  }

  discard(): Promise<void> {
    return this.#file.discard()
  }
}

/** Text of others must not end a cell, or a row. */
function row(cells: readonly (string | number)[]): string {
  const safe = cells.map((cell) =>
    String(cell)
      .replaceAll('\\', '\\\\')
      .replaceAll('|', '\\|')
      .replace(/[\r\n]+/g, ' '),
  )
  return `| ${safe.join(' | ')} |\n`
}

const HEADING = `# Every record, and what became of it

${row(['queue', 'id', 'name', 'state', 'fate', 'became', 'remarks'])}${row(Array(7).fill('---'))}`

function summaryText(report: ImportReport): string {
  const { title, counts } = { title: report.dry_run ? 'What would happen' : 'What happened', counts: report }
  const lines = Object.entries(report.queues).flatMap(([queue, states]) =>
    Object.entries(states).map(([state, of]) => row([queue, state, ...countsOf(of)])),
  )
  return [
    `\n# ${title}\n\nFrom ${report.from} ${report.version} at ${report.where}, for tenant ${report.tenant_id}.\n\n`,
    row(['queue', 'state', 'found', 'taken', 'known', 'left', 'refused']),
    row(Array(7).fill('---')),
    ...lines,
    row(['all', '', ...countsOf(counts)]),
    findingsText('Left', report.left_because),
    findingsText('Refused', report.refused_because),
    findingsText('Taken over with a difference', report.differences),
    ...(report.notes.length === 0
      ? []
      : [`\n## Notes\n\n${report.notes.map((note) => `- ${note}\n`).join('')}`]),
  ].join('')
}

function countsOf({ found, taken, known, left, refused }: FateCounts): readonly number[] {
  return [found, taken, known, left, refused]
}

function findingsText(title: string, findings: readonly Finding[]): string {
  if (findings.length === 0) return ''
  const lines = findings.map(({ what, count, examples }) => `- ${count}: ${what} (${examples.join(', ')})\n`)
  return `\n## ${title}\n\n${lines.join('')}`
}
