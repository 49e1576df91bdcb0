// The editor of a template.

import { EditPage } from './edit-page.tsx'

export const Component = () => <EditPage noun="template" />
