#!/usr/bin/env node
// Runs the tests that need only Node.js on each supported version that npm has for this machine. Its package
// `node` contains the official builds for Linux and macOS, x64 and arm64. Arguments select versions: npm run
// test:nodes 22 24
import { spawnSync } from 'node:child_process';

const SUPPORTED = ['20', '22', '24', '26'];
const versions = process.argv.length > 2 ? process.argv.slice(2) : SUPPORTED;

function run(version, args, stdio) {
  const command = ['--yes', '--package', `node@${version}`, '--', 'node', ...args];
  return spawnSync('npx', command, { stdio, encoding: 'utf8' });
}

const failed = versions.filter((version) => {
  const told = run(version, ['--version'], ['ignore', 'pipe', 'inherit']);
  if (told.status !== 0) {
    console.error(`Node ${version}: cannot be had here`);
    return true;
  }
  console.log(`Node ${told.stdout.trim()} on ${process.platform} ${process.arch}`);
  const tests = ['test/suite.mjs', 'quick'];
  return run(version, tests, 'inherit').status !== 0;
});
console.log(failed.length === 0 ? 'all passed' : `failed on: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
