/** The colours that tokens stand for here and now: a canvas knows neither `var()` nor `light-dark()`. */
export function tokenColors<Name extends string>(
  element: HTMLElement,
  names: readonly Name[],
): { readonly [name in Name]: string } {
  const probe = document.createElement('span')
  element.append(probe)
  const colors = Object.fromEntries(
    names.map((name) => {
      probe.style.color = `var(--${name})`
      return [name, getComputedStyle(probe).color]
    }),
  )
  probe.remove()
  return colors as { readonly [name in Name]: string }
}
