/** Whether one of these options is among the arguments, also as `--option=value`; nothing after `--` is an option. */
export function isGiven(args: readonly string[], ...options: readonly string[]): boolean {
  return placeOf(args, ...options) >= 0
}

/** Where the first of them is; -1 when there is none. */
export function placeOf(args: readonly string[], ...options: readonly string[]): number {
  const end = args.indexOf('--')
  return args
    .slice(0, end < 0 ? args.length : end)
    .findIndex((arg) => options.some((option) => arg === option || arg.startsWith(`${option}=`)))
}
