// Tabs that take more than the page is wide: the open one is in view.

/** Open tab of each list. */
const openTabs = new WeakMap<Element, Element>()
let widths: ResizeObserver | undefined

/** A ref for the open tab: scrolls its list, and nothing else of the page, now and when the list gets another width. */
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
