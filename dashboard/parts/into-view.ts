// Tab lists that are wider than the page scroll to the open tab.

/** The open tab of each tab list. */
const openTabs = new WeakMap<Element, Element>()
let widths: ResizeObserver | undefined

/**
 * Ref callback for the open tab: scrolls its list, but not the page, at once and whenever the width of the list
 * changes.
 */
export function intoView(tab: HTMLElement | null): void {
  const list = tab?.parentElement
  if (!tab || !list) return
  openTabs.set(list, tab)
  scrollToOpen(list)
  widths ??= new ResizeObserver((entries) => {
    for (const { target } of entries) scrollToOpen(target)
  })
  widths.observe(list)
}

function scrollToOpen(list: Element): void {
  const tab = openTabs.get(list)
  if (tab === undefined) return
  const [{ left, right }, frame] = [tab.getBoundingClientRect(), list.getBoundingClientRect()]
  list.scrollLeft += Math.max(0, right - frame.right) + Math.min(0, left - frame.left)
}
