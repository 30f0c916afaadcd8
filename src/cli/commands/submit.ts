import { Argument, Option } from 'commander'
import type { Protocol } from '../../core/job/protocol.ts'
import { protocolOf } from '../../core/pipeline/topology-protocol.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import type { Envelope } from '../../ledger/request.ts'
import { defineCommand } from '../define-command.ts'
import { type InFlightOptions, inFlightOption } from '../options/in-flight-limit.ts'
import { type ProtocolOptions, protocolsFile, protocolsOption } from '../options/protocols.ts'
import {
  type OnceOptions,
  onceOf,
  onceOptions,
  type RequestOptions,
  requestOf,
  requestOptions,
} from '../options/request.ts'
import { tellServerDecides } from '../remote/server-decides.ts'
import { submitFile } from './submit-file.ts'
import { tellSubmitted } from './tell-submitted.ts'

interface Options extends RequestOptions, OnceOptions, ProtocolOptions, InFlightOptions {
  readonly file?: string
  readonly topology?: string
  readonly strict?: boolean
  readonly reason?: string
}

/** A request in a file has all of these. */
const SAID_BY_FLAGS = [...requestOptions(), ...onceOptions()].map((option) => option.attributeName())

export const submit = defineCommand<Options>({
  name: 'submit',
  summary: 'ask for a job to be done',
  about:
    'Accepts a request, of which a job is made, and prints the id of the job. The request comes from the options, or ' +
    'whole from a file with --file: one, or one a line, where each is accepted or refused by itself. The same ' +
    'request again, or the same --key, is the same job: nothing is done twice. A request that makes no sense is ' +
    'refused before anything is written. Somebody has to do the work: see waybill worker.',
  arguments: [new Argument('[type]', 'what is asked for: the request type of a protocol')],
  options: [
    ...requestOptions(),
    ...onceOptions(),
    new Option(
      '--file <file>',
      'requests as JSON: one, or one a line; - for the standard input. Tenant and schema_version may be left out',
    ).conflicts(SAID_BY_FLAGS),
    protocolsOption(),
    new Option(
      '--topology <file>',
      'a pipeline in YAML, which answers requests of the type that is its name',
    ),
    inFlightOption(),
    new Option(
      '--strict',
      'refuse a known --key with another request, instead of answering with the job there is',
    ),
    new Option('--reason <text>', 'why, for the history'),
  ],
  writes: true,
  examples: [
    ['submit OCR --input s3://in/a.pdf --output s3://out/a', 'the least a request says'],
    [
      `submit OCR --input a.pdf --output a.txt --payload '{"dpi": 300}' --doc pubmed:123`,
      'with more to go by',
    ],
    [
      'submit INDEX --input all --output all --depends-on JOB --delay 1h',
      'after another job, and not at once',
    ],
    [
      'submit pdf --topology pdf.yaml --input a.pdf --output a.json',
      'for a pipeline; waybill worker stages.ts --topology pdf.yaml does it',
    ],
    ['submit --file requests.jsonl', 'many at once, a line each'],
    ['submit --file - --json < request.json', 'a whole request, for a program'],
  ],
  exits: [
    [1, 'with --file: some requests of many were refused'],
    [2, 'the request makes no sense, or its type is not known'],
    [4, 'it clashes: too many open jobs, an id that is taken, a key with another request (--strict)'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [type]) {
    const request_type = type as string | undefined
    const open = async () => {
      const pipelines = await pipelinesOf(options)
      const ledger = await session.openToChange({
        protocols: await protocolsFile(options),
        inFlightLimit: options.inFlightLimit,
        strictIdempotency: options.strict,
      })
      ledger.jobs.register(...pipelines)
      const { protocols, inFlightLimit } = options
      await tellServerDecides(session, { protocols, 'in-flight-limit': inFlightLimit })
      return ledger
    }
    if (options.file !== undefined) {
      if (request_type !== undefined) throw fileAndType(request_type)
      return submitFile(session, options.file, { open, reason: options.reason })
    }
    if (request_type === undefined) throw noType()
    const envelope = { ...(await requestOf(request_type, options)), ...onceOf(options) }
    const ledger = await open()
    const tenant_id = options.tenant ?? 'default'
    const job = await ledger.jobs.submit({ ...envelope, tenant_id } as Envelope, { reason: options.reason })
    await tellSubmitted(session, job)
  },
})

async function pipelinesOf({ topology }: Options): Promise<readonly Protocol[]> {
  if (topology === undefined) return []
  const { readTopology } = await import('../../orchestrator/pipeline/topology-file.ts')
  const { realWorld } = await import('../../world/world.ts')
  return [protocolOf(await readTopology(topology, realWorld.disk))]
}

function noType(): InvalidInput {
  return new InvalidInput(
    'type',
    'It is not said what is asked for',
    'Give a request type, as in: waybill submit OCR --input … --output …; or a whole request with --file.',
  )
}

function fileAndType(type: string): InvalidInput {
  return new InvalidInput(
    'type',
    `A request in a file says its own type: ${JSON.stringify(type)} is too much`,
    'Leave it out, or leave --file out.',
  )
}
