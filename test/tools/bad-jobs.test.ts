import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ToolScene } from './tool-scene.ts'

type Tree = { [name: string]: unknown }

const scene = new ToolScene()
let before: readonly string[] = []

beforeAll(() => {
  before = scene.names()
})

afterAll(() => scene.remove())

/** The sound job with another value at a place; undefined takes the field out. */
function jobWith(path: string, value: unknown): unknown {
  const job = structuredClone(scene.job()) as Tree
  const names = path.split('/')
  const last = names.pop() as string
  const holder = names.reduce((tree, name) => tree[name] as Tree, job)
  if (value === undefined) delete holder[last]
  // As JSON.parse does: a field of its own, whatever it is called.
  else Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true })
  return job
}

/** Refused for this field and no other; and nothing was run or written. */
async function mustRefuse(value: unknown, fields: readonly string[]): Promise<void> {
  const error = await scene.attempt(value).then(
    () => null,
    (thrown: unknown) => thrown as { readonly details: { readonly problems: { readonly field: string }[] } },
  )
  expect(error).toMatchObject({ name: 'InvalidToolJob', code: 'INVALID_TOOL_JOB', exitCode: 2, status: 422 })
  expect(error?.details.problems.map(({ field }) => field)).toEqual(fields)
  expect(scene.names()).toEqual(before)
}

const NUL = '\0'
const LONG = 'x'.repeat(100_001)
const HALF = 'a\ud800'

const TEXT_FIELDS = [
  'job_id',
  'workstream_id',
  'tool',
  'command/exe',
  'paths/repo_root',
  'paths/working_dir',
  'paths/log_file',
  'paths/error_report',
]
const OPTIONAL_TEXT_FIELDS = ['run_id', 'metadata/retry_policy', 'metadata/message_file']
const NOT_TEXT = [null, 0, true, [], {}, ['x']]
const BAD_TEXT = ['', LONG, `a${NUL}b`, 'a\nb', 'a\u007fb', HALF]

const OBJECT_FIELDS = ['command', 'env', 'paths']
const NOT_OBJECT = [null, 'x', 1, false, [], ['x']]

type Case = readonly [path: string, value: unknown, fields: readonly string[]]

const named = (path: string) => path.replaceAll('/', '.')

const FIELDS: readonly Case[] = [
  ...TEXT_FIELDS.flatMap((path) =>
    [undefined, ...NOT_TEXT, ...BAD_TEXT].map((value): Case => [path, value, [named(path)]]),
  ),
  ...OPTIONAL_TEXT_FIELDS.flatMap((path) =>
    [...NOT_TEXT, ...BAD_TEXT].map((value): Case => [path, value, [named(path)]]),
  ),
  ...OBJECT_FIELDS.flatMap((path) =>
    [undefined, ...NOT_OBJECT].map((value): Case => [path, value, [named(path)]]),
  ),
  ...NOT_OBJECT.map((value): Case => ['metadata', value, ['metadata']]),
  ...[undefined, null, 'x', 1, {}].map((value): Case => ['command/args', value, ['command.args']]),
  ...[null, 'x', 1, {}].map((value): Case => ['metadata/files_scope', value, ['metadata.files_scope']]),
]

const VALUES: readonly Case[] = [
  ['command/args', ['a', 1, null, {}, []], ['1', '2', '3', '4'].map((n) => `command.args[${n}]`)],
  ['command/args', [`a${NUL}`, LONG, HALF], ['0', '1', '2'].map((n) => `command.args[${n}]`)],
  ['command/args', ['é'.repeat(50_001)], ['command.args[0]']],
  ['command/args', new Array(1001).fill('x'), ['command.args']],
  ['metadata/files_scope', ['a.py', '', 'b\n', 7], ['1', '2', '3'].map((n) => `metadata.files_scope[${n}]`)],
  ['metadata/files_scope', new Array(10_001).fill('x'), ['metadata.files_scope']],
  ...[0, -1, 86_401, '30', null].map(
    (value): Case => ['metadata/timeout_seconds', value, ['metadata.timeout_seconds']],
  ),
  ...[-1, 101, 1.5, '3', null].map(
    (value): Case => ['metadata/max_retries', value, ['metadata.max_retries']],
  ),
  ...['retry', 'NONE', 'none ', 'escalate_to_', 'escalate_to_a b', 'escalate_to_-x', 'escalate_to_../x'].map(
    (value): Case => ['metadata/retry_policy', value, ['metadata.retry_policy']],
  ),
  ...['-x', '--help', 'a b', 'a/b', '../a', '.git', 'a;b', '$(id)'].map(
    (value): Case => ['tool', value, ['tool']],
  ),
  ['job_id', '   ', ['job_id']],
  ['job_id', 'x'.repeat(513), ['job_id']],
  ['run_id', 'a\tb', ['run_id']],
  ['shell', true, ['shell']],
  ['command/shell', true, ['command.shell']],
  ['paths/home', '/', ['paths.home']],
  ['two words', 1, ['"two words"']],
]

const DANGEROUS = [
  'PATH,IFS,ENV,BASH_ENV,SHELLOPTS,BASHOPTS,SHELL,PS4,PROMPT_COMMAND,CDPATH,ZDOTDIR',
  'LD_PRELOAD,LD_LIBRARY_PATH,LD_AUDIT,LD_,DYLD_INSERT_LIBRARIES,DYLD_LIBRARY_PATH,GCONV_PATH,GLIBC_TUNABLES',
  'NODE_OPTIONS,NODE_PATH,NPM_CONFIG_SCRIPT_SHELL,npm_config_prefix',
  'PYTHONPATH,PYTHONSTARTUP,PYTHONHOME,PYTHONWARNINGS,PYTHONBREAKPOINT,PERL5OPT,PERL5LIB,PERL5DB,RUBYOPT,RUBYLIB',
  'JAVA_TOOL_OPTIONS,_JAVA_OPTIONS,JDK_JAVA_OPTIONS,CLASSPATH,LUA_INIT,DOTNET_STARTUP_HOOKS,MAKEFLAGS,GOFLAGS',
  'EDITOR,VISUAL,PAGER,BROWSER,LESSOPEN,SSH_ASKPASS',
  'GIT_DIR,GIT_WORK_TREE,GIT_EXEC_PATH,GIT_SSH,GIT_SSH_COMMAND,GIT_CONFIG,GIT_CONFIG_GLOBAL,GIT_CONFIG_COUNT',
  'GIT_CONFIG_KEY_0,GIT_CONFIG_VALUE_0,GIT_CONFIG_PARAMETERS,GIT_EDITOR,GIT_SEQUENCE_EDITOR,GIT_PAGER,GIT_ASKPASS',
  'GIT_EXTERNAL_DIFF,GIT_PROXY_COMMAND,GIT_TEMPLATE_DIR,GIT_INDEX_FILE,GIT_OBJECT_DIRECTORY,GIT_TRACE',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES,GIT_NAMESPACE,GIT_COMMON_DIR,GIT_CEILING_DIRECTORIES,GIT_SOMETHING_NEW',
  'WAYBILL_JOB_ID,WAYBILL_ATTEMPT,WAYBILL_ATTEMPT_MARK,WAYBILL_LEDGER,WAYBILL_ANYTHING',
].flatMap((names) => names.split(','))

const BAD_NAMES = ['', '1A', 'A-B', 'A B', 'A=B', 'A.B', 'É', 'A\nB', `A${NUL}`, 'BASH_FUNC_x%%', '-A']

describe('A63: a job with a mistake is refused, and the mistake named', () => {
  it('takes the sound job', async () => {
    const sound = new ToolScene()
    const { done } = await sound.attempt(sound.job())
    expect(done).toMatchObject({ status: 'completed', exitCode: 0 })
    expect(sound.wasRun).toBe(true)
    sound.remove()
  })

  it.each(FIELDS.map((one, index) => [index, ...one] as const))(
    'field %i: %s',
    async (_, path, value, fields) => {
      await mustRefuse(jobWith(path, value), fields)
    },
  )

  it.each(VALUES.map((one, index) => [index, ...one] as const))(
    'value %i: %s',
    async (_, path, value, fields) => {
      await mustRefuse(jobWith(path, value), fields)
    },
  )

  it.each(DANGEROUS)('env may not set %s', async (name) => {
    await mustRefuse(jobWith(`env/${name}`, 'x'), [`env.${name}`])
  })

  it.each(BAD_NAMES)('env has no variable called %j', async (name) => {
    const shown = /^[\w.-]+$/.test(name) ? name : JSON.stringify(name)
    await mustRefuse(jobWith('env', { [name]: 'x' }), [`env.${shown}`])
  })

  it.each([null, 1, true, [], {}, `a${NUL}b`, LONG, HALF])('env has no value such as %#', async (value) => {
    await mustRefuse(jobWith('env/A', value), ['env.A'])
  })

  it('env has neither endless names nor endless many', async () => {
    await mustRefuse(jobWith('env', { ['A'.repeat(257)]: 'x' }), [`env.${'A'.repeat(100)}…`])
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`A${n}`, 'x']))
    await mustRefuse(jobWith('env', many), ['env'])
  })

  it.each([null, undefined, 'x', 7, true, [], [{}], Symbol('x'), () => 1, 10n])(
    'a job is not %#',
    async (value) => {
      await mustRefuse(value, [''])
    },
  )

  const PLACES = ['', 'command/', 'env/', 'paths/', 'metadata/', 'metadata/note/']
  const FORBIDDEN = ['__proto__', 'constructor', 'prototype']
  const BEHIND = PLACES.flatMap((place) => FORBIDDEN.map((name) => place + name))
  it.each(BEHIND)('has no field called %s', async (path) => {
    await mustRefuse(jobWith(path, 'x'), [named(path)])
  })

  it.each([
    [new Date(0), 'metadata.note'],
    [Number.NaN, 'metadata.note'],
    [() => 1, 'metadata.note'],
    [{ deep: new Map() }, 'metadata.note.deep'],
    [[1, undefined], 'metadata.note[1]'],
    [[Number.POSITIVE_INFINITY], 'metadata.note[0]'],
  ])('metadata is plain JSON: not %#', async (value, field) => {
    await mustRefuse(jobWith('metadata/note', value), [field])
  })

  it('is refused when it is nested too deep, or has no end', async () => {
    const error = await scene.attempt(jobWith('metadata/note', endless())).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ code: 'INVALID_TOOL_JOB' })
    expect((error as Error).message).toContain('nested deeper than 100 levels')
  })

  it('names every mistake at once', async () => {
    const error = await scene
      .attempt({ job_id: '', tool: 7, command: { exe: 'x' }, env: { PATH: '/', '1': 'x' }, more: 1 })
      .catch((thrown: Error) => thrown)
    const fields = ['job_id', 'workstream_id', 'tool', 'command.args', 'env.PATH', 'env.1', 'paths', 'more']
    expect(error).toMatchObject({ code: 'INVALID_TOOL_JOB', field: 'job_id' })
    const { message, details } = error as Error & { details: { problems: { field: string }[] } }
    expect(details.problems.map(({ field }) => field).sort()).toEqual([...fields].sort())
    for (const field of fields) expect(message).toContain(field)
  })

  it('ran nothing at all', () => {
    expect(scene.wasRun).toBe(false)
    expect(Object.prototype).not.toHaveProperty('x')
  })
})

function endless(): unknown {
  const list: unknown[] = []
  list.push(list)
  return list
}
