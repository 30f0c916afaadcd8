import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/command.ts'
import type { System } from '../catalogue.ts'

const PEERS = join(import.meta.dirname, '..', 'node_modules')

/** `name 1.2.3` of each package that a system is made of. */
export function versionsOf({ packages }: System): readonly string[] {
  return packages.map((name) => `${name === 'waybill' ? 'Waybill' : name} ${versionOf(name)}`)
}

function versionOf(name: string): string {
  const file = name === 'waybill' ? join(ROOT, 'package.json') : join(PEERS, name, 'package.json')
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  return version
}
