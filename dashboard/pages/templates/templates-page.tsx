// The list of the templates of a domain.

export { TemplatesPage as Component } from './list-page.tsx'
