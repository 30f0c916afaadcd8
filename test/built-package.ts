// The package as it is run by those who installed it, made once for all the processes that tests start: one that is put together
// is there in half the time that one takes from source.
export async function setup(): Promise<void> {
  await import('../scripts/build-js.ts')
}
