import { Option } from 'commander'
import { isThere } from '../../world/is-there.ts'

/** Read when nobody names another, if it is there. */
const DEFAULT_FILE = 'waybill.protocols.json'

export interface ProtocolOptions {
  readonly protocols?: string
}

export function protocolsOption(): Option {
  return new Option(
    '--protocols <file>',
    `JSON with a list of protocols, which say what the steps of a request are; ./${DEFAULT_FILE} if there is one`,
  ).env('WAYBILL_PROTOCOLS')
}

/** The file with the protocols; undefined when there is none. */
export async function protocolsFile({ protocols }: ProtocolOptions): Promise<string | undefined> {
  if (protocols !== undefined) return protocols
  const { realWorld } = await import('../../world/world.ts')
  return (await isThere(realWorld.disk, DEFAULT_FILE)) ? DEFAULT_FILE : undefined
}

/** For whoever has a request that no protocol is there for. */
export const WHERE_PROTOCOLS_ARE = `Protocols come from --protocols FILE, the variable WAYBILL_PROTOCOLS, or ./${DEFAULT_FILE}.`
