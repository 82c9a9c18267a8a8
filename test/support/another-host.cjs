// Loaded before orgrepo by test/support/clone.ts: the machine has another name.
require('node:os').hostname = () => 'another-host';
require('node:module').syncBuiltinESMExports();
