// Programs must not outlive the process that started them, also when it is killed and can do nothing any more. So while
// any of them runs there is one more process, a shell that does nothing but read from a pipe whose other end only we have.
// When we end, in whatever way, the system closes our end; the shell sees the end of its input and kills the groups it was
// told of, and everything that carries our mark in its environment, until nothing is found any more. Between the start of
// a program and the line about it nothing is lost: the mark is found without the line.
//
// It is our own child, so that nobody else has to wait for it, and is told to go when there is nothing left to guard.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * `+ group` and `- group` say what is running, `.` that all is well. It has no other words, and what it reads are numbers
 * of ours. Signals that stop a whole terminal are not for it. The second look is for what was just being started.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM
groups=
while read -r word group; do
  case $word in
    +) groups="$groups $group" ;;
    -) kept=; for g in $groups; do [ "$g" = "$group" ] || kept="$kept $g"; done; groups=$kept ;;
    .) exit 0 ;;
  esac
done
looks=0 empty=0
while [ $looks -lt 50 ] && [ $empty -lt 2 ]; do
  looks=$((looks + 1))
  for g in $groups; do kill -9 -- "-$g"; done
  groups=
  found=$(grep -lsF "$1" /proc/[0-9]*/environ)
  [ -n "$found" ] || empty=$((empty + 1))
  for file in $found; do pid=\${file#/proc/}; kill -9 "\${pid%/environ}"; done
  sleep 0.1
done
`

export class ProcessGuard {
  readonly #mark: string
  readonly #groups = new Set<number>()
  #shell: ChildProcess | null = null
  #users = 0

  /** Entries of environments that begin with the mark are ours. */
  constructor(mark: string) {
    this.#mark = mark
  }

  /** Before a program is started. Throws when there can be no guard. Each is to be followed by one `leave`. */
  enter(): void {
    this.#users++
    if (this.#shell !== null) return
    try {
      this.#start()
    } catch (error) {
      this.#users--
      throw error
    }
  }

  add(group: number): void {
    this.#groups.add(group)
    this.#say(`+ ${group}\n`)
  }

  leave(group?: number): void {
    if (group !== undefined && this.#groups.delete(group)) this.#say(`- ${group}\n`)
    this.#users--
    if (this.#users > 0) return
    const shell = this.#shell
    this.#shell = null
    ;(shell?.stdin as Socket | undefined)?.end('.\n')
  }

  #start(): void {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'waybill-guard', this.#mark], {
      cwd: '/',
      // What it needs to find grep and sleep. Without the mark: it would find itself.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    // Said by the lack of a number as well.
    shell.on('error', () => {})
    if (shell.pid === undefined) throw new Error('/bin/sh, which is to guard it, cannot be started')
    this.#shell = shell
    shell.unref()
    const input = shell.stdin as Socket
    input.unref()
    input.on('error', () => {})
    shell.once('exit', () => this.#again(shell))
    for (const group of this.#groups) this.#say(`+ ${group}\n`)
  }

  /** Somebody ended it: there has to be another for as long as anything runs. */
  #again(ended: ChildProcess): void {
    if (this.#shell !== ended) return
    this.#shell = null
    if (this.#groups.size === 0) return
    try {
      this.#start()
    } catch {
      // The next program that is to be started tries again, and says so.
    }
  }

  #say(line: string): void {
    this.#shell?.stdin?.write(line)
  }
}
