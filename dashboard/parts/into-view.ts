// Tabs that take more than the page is wide: the open one is in view.

/** A ref for the open tab: moves the list that it is in, and nothing else of the page. */
export function intoView(tab: HTMLElement | null): void {
  const list = tab?.parentElement
  if (!tab || !list) return
  const [{ left, right }, frame] = [tab.getBoundingClientRect(), list.getBoundingClientRect()]
  list.scrollLeft += Math.max(0, right - frame.right) + Math.min(0, left - frame.left)
}
