// The templates of a domain.

export { TemplatesPage as Component } from './list-page.tsx'
