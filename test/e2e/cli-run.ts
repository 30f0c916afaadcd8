// The command line as people and scripts meet it: in a process of its own, on a terminal and off.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environment } from './environment.ts'
import { ROOT } from './scratch.ts'

/** `test/built-package.ts` makes it. */
const MAIN = join(ROOT, 'dist/cli/main.js')

export interface Told {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder to work in, and the command line in it. */
export class Shell implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'waybill-cli-'))

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Several at once use both cores. */
  run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Told> {
    return new Promise((resolve, reject) => {
      const child = this.start(args, env)
      let stdout = ''
      let stderr = ''
      child.stdout.setEncoding('utf8').on('data', (text) => {
        stdout += text
      })
      child.stderr.setEncoding('utf8').on('data', (text) => {
        stderr += text
      })
      child.on('error', reject).on('close', (status) => resolve({ status, stdout, stderr }))
    })
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    return spawn(process.execPath, [MAIN, ...args], {
      cwd: this.folder,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    })
  }

  /** On a pseudo terminal: output and errors together, as they were printed. */
  onTerminal(columns: number, command: string, env: NodeJS.ProcessEnv = {}): Told {
    const line = `stty cols ${columns} rows 40; ${command.replaceAll('waybill ', `${process.execPath} ${MAIN} `)}`
    const { status, stdout, stderr } = spawnSync(
      'script',
      ['--quiet', '--return', '--command', line, '/dev/null'],
      {
        cwd: this.folder,
        encoding: 'utf8',
        env: environment(env),
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 60_000,
      },
    )
    return { status, stdout: stdout.replaceAll('\r\n', '\n'), stderr }
  }

  /** In a shell, for pipes. */
  bash(line: string, env: NodeJS.ProcessEnv = {}): Told {
    const script = `waybill() { ${process.execPath} ${MAIN} "$@"; }\n${line}`
    return spawnSync('bash', ['-c', script], {
      cwd: this.folder,
      encoding: 'utf8',
      env: environment(env),
      timeout: 60_000,
    })
  }

  copy(from: string, to: string): void {
    cpSync(this.path(from), this.path(to), { recursive: true })
  }

  /** Every file in the folder with what is in it: two that are equal mean that nothing was written. */
  contents(): { readonly [path: string]: string } {
    const names = (readdirSync(this.folder, { recursive: true }) as string[]).sort()
    return Object.fromEntries(names.map((name) => [name, digestOf(this.path(name))]))
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function digestOf(path: string): string {
  if (statSync(path).isDirectory()) return 'folder'
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

export function jsonLines<T = { [field: string]: unknown }>(text: string): readonly T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}

export function lines(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n')
}
