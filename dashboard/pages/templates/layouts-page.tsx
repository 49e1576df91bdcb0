// The list of the layouts of a domain.

export { LayoutsPage as Component } from './list-page.tsx'
