// The editor of a layout.

import { EditPage } from './edit-page.tsx'

export const Component = () => <EditPage noun="layout" />
