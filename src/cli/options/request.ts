import { Option } from 'commander'
import { durationMs } from '../../core/duration.ts'
import { DEPENDENCY_POLICIES, type DependencyPolicy, PRIORITIES } from '../../core/job/record.ts'
import type { Json } from '../../core/json.ts'
import { MODES, type Mode } from '../../core/routing.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { inputText } from '../input/input-lines.ts'
import { collect } from './collect.ts'
import { futureTimeOption } from './future-time.ts'

/** What a request says of the work itself. */
export interface RequestOptions {
  readonly input?: string
  readonly output?: string
  readonly payload?: string
  readonly doc?: string
  readonly priority?: string
  readonly mode?: Mode
  readonly run?: string
  readonly workstream?: string
  readonly correlation?: string
  readonly tag?: readonly string[]
}

/** What it says of this one time. */
export interface OnceOptions {
  readonly delay?: string
  readonly at?: string
  readonly expires?: string
  readonly dependsOn?: readonly string[]
  readonly onDependencyFailure?: DependencyPolicy
  readonly key?: string
  readonly id?: string
}

export function requestOptions(): readonly Option[] {
  return [
    new Option('--input <ref>', 'where what is to be worked on is: an address'),
    new Option('--output <ref>', 'where the result is to go: an address'),
    new Option('--payload <json>', 'what else the steps are told: JSON, @file, or - for the standard input'),
    new Option('--doc <id>', 'the document that it is about'),
    new Option('--priority <level>', 'how urgent it is; normal unless told').choices(PRIORITIES),
    new Option('--mode <mode>', 'how directives are spread over lanes').choices(MODES),
    new Option('--run <id>', 'the run that it belongs to'),
    new Option('--workstream <id>', 'the workstream that it belongs to'),
    new Option('--correlation <id>', 'an id of yours, handed on to everybody'),
    new Option('--tag <text>', 'a word to remember it by; repeat it for more').argParser(collect),
  ]
}

export function onceOptions(): readonly Option[] {
  return [
    new Option('--delay <span>', 'not before so long from now: 90s, 15m, 1h 30m')
      .argParser(parseSpan)
      .conflicts('at'),
    futureTimeOption('at', 'not before this time'),
    futureTimeOption('expires', 'fails if nobody has begun by then: a time, or how long from now'),
    new Option('--depends-on <id>', 'a job that has to end first; repeat it for more').argParser(collect),
    new Option(
      '--on-dependency-failure <what>',
      'what becomes of it when such a job does not succeed',
    ).choices(DEPENDENCY_POLICIES),
    new Option('--key <text>', 'idempotency key: the same key again is the same job'),
    new Option('--id <id>', 'id of the job; a fresh one unless told'),
  ]
}

/** As far as the flags say it: what has to be there and is not is told by whoever checks requests. */
export async function requestOf(request_type: string, options: RequestOptions): Promise<object> {
  return {
    schema_version: 'v1',
    request_type,
    input_ref: given('input', options.input),
    output_ref: given('output', options.output),
    payload: options.payload === undefined ? {} : await readPayload(options.payload),
    doc_id: options.doc,
    priority: options.priority,
    mode: options.mode,
    run_id: options.run,
    workstream_id: options.workstream,
    correlation_id: options.correlation,
    tags: options.tag,
  }
}

export function onceOf(options: OnceOptions): object {
  return {
    delay: options.delay,
    run_at: options.at,
    expires_at: options.expires,
    depends_on: options.dependsOn,
    on_dependency_failure: options.onDependencyFailure,
    idempotency_key: options.key,
    job_id: options.id,
  }
}

function given(name: string, value: string | undefined): string {
  if (value !== undefined && value !== '') return value
  const next = `Write --${name} s3://bucket/name, say; or give a whole request with --file.`
  throw new InvalidInput(name, `--${name} is missing`, next)
}

async function readPayload(text: string): Promise<Json> {
  const isFile = text === '-' || text.startsWith('@')
  const json = isFile ? await inputText(text.replace(/^@/, '')) : text
  try {
    return JSON.parse(json) as Json
  } catch (error) {
    const where = isFile ? ` from ${text === '-' ? 'the standard input' : text.slice(1)}` : ''
    throw InvalidInput.by(
      error,
      'payload',
      `--payload${where} is not JSON: ${(error as Error).message}`,
      `Write it in quotes for the shell: --payload '{"pages": [1, 2]}'; or --payload @file.json.`,
    )
  }
}

function parseSpan(text: string): string {
  if (durationMs(text) !== null) return text
  throw new InvalidInput(
    'delay',
    `--delay ${JSON.stringify(text)} is not a span of time`,
    'Write 90s, 15m or "1h 30m"; --at takes a time.',
  )
}
