// Variables that change what is executed or loaded, whatever the command says: a job that names its program openly must
// not bring another one in by the back door. Whoever runs the worker decides on those.

/** What a variable may be called. */
export const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** By what they do. `*` stands for any ending. */
const REFUSED = [
  // Which programs are found, and what shells do before they do what they are told.
  ['PATH', 'IFS', 'ENV', 'BASH_ENV', 'BASHOPTS', 'SHELLOPTS', 'SHELL', 'PS4', 'PROMPT_COMMAND', 'CDPATH'],
  ['GLOBIGNORE', 'ZDOTDIR', 'FPATH'],
  // What the loader and the C library bring in.
  ['LD_*', 'DYLD_*', 'GLIBC_TUNABLES', 'GCONV_PATH', 'LOCPATH', 'NLSPATH', 'HOSTALIASES'],
  // What languages load first.
  ['NODE_OPTIONS', 'NODE_PATH', 'NODE_REPL_EXTERNAL_MODULE', 'NPM_CONFIG_*', 'npm_config_*', 'BUN_*'],
  ['PYTHONPATH', 'PYTHONSTARTUP', 'PYTHONHOME', 'PYTHONUSERBASE', 'PYTHONEXECUTABLE', 'PYTHONPLATLIBDIR'],
  ['PYTHONBREAKPOINT', 'PYTHONWARNINGS', 'PYTHONINSPECT', 'PYTHONPYCACHEPREFIX'],
  ['PERL5OPT', 'PERL5LIB', 'PERL5DB', 'PERLLIB', 'RUBYOPT', 'RUBYLIB', 'GEM_HOME', 'GEM_PATH', 'BUNDLE_*'],
  ['JAVA_TOOL_OPTIONS', '_JAVA_OPTIONS', 'JDK_JAVA_OPTIONS', 'CLASSPATH', 'MAVEN_OPTS', 'GRADLE_OPTS'],
  ['LUA_INIT', 'LUA_PATH', 'LUA_CPATH', 'PHPRC', 'PHP_INI_SCAN_DIR', 'DOTNET_STARTUP_HOOKS', 'GOFLAGS'],
  ['RUSTC', 'RUSTC_WRAPPER', 'RUSTFLAGS', 'CARGO_*', 'MAKEFLAGS', 'MFLAGS', 'GNUMAKEFLAGS', 'MAKEFILES'],
  // Programs that other programs start.
  [
    'EDITOR',
    'VISUAL',
    'PAGER',
    'MANPAGER',
    'BROWSER',
    'LESSOPEN',
    'LESSCLOSE',
    'SSH_ASKPASS',
    'SUDO_ASKPASS',
  ],
  // What Waybill itself says to the tool.
  ['WAYBILL_*'],
].flat()

/** Git has a new one with every version, most of which lead it somewhere else: these are known not to. */
const GIT_ALLOWED =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|TERMINAL_PROMPT|MERGE_AUTOEDIT|OPTIONAL_LOCKS)$/

const REFUSED_PATTERN = new RegExp(`^(?:${REFUSED.map((name) => name.replace('*', '.*')).join('|')})$`)

export function isRefusedEnv(name: string): boolean {
  return REFUSED_PATTERN.test(name) || (name.startsWith('GIT_') && !GIT_ALLOWED.test(name))
}

/** The same as one pattern that names must match, for the schema that is shipped. */
export const ALLOWED_ENV_PATTERN = `^(?!(?:${REFUSED_PATTERN.source.slice(1, -1)})$)(?!GIT_)[A-Za-z_][A-Za-z0-9_]*$|${GIT_ALLOWED.source}`
