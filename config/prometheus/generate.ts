import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ruleFiles } from './source/rule-files.ts';
import { ruleTexts } from './source/rule-text.ts';

const folder = process.argv[2] ?? join('config', 'prometheus');
for (const [name, text] of Object.entries(ruleTexts(ruleFiles()))) await writeFile(join(folder, name), text);
