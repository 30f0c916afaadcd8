// Examples are compiled with the types that people get.
export async function setup(): Promise<void> {
  await import('../../scripts/build-types.ts')
}
