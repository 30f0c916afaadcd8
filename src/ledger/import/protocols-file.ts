import type { Protocol } from '../../core/job/protocol.ts'
import type { Disk } from '../../world/disk.ts'
import { isThere } from '../../world/is-there.ts'
import { NewFile } from '../../world/new-file.ts'
import { protocolsOf } from '../protocol-file.ts'

/** Puts protocols into a file of JSON. What it says of a type of request already stays as it is. */
export async function addProtocols(disk: Disk, path: string, protocols: readonly Protocol[]): Promise<void> {
  const before = (await isThere(disk, path)) ? await protocolsOf(path, disk) : []
  const known = new Set(before.map(({ request_type }) => request_type))
  const all = [...before, ...protocols.filter(({ request_type }) => !known.has(request_type))]
  const file = await NewFile.create(disk, path)
  file.addText(`${JSON.stringify({ protocols: all }, null, 2)}\n`)
  await file.finish()
}
