#!/bin/sh
# Compiles every source of this folder to the module next to it, and validates the result.
# Needs glslangValidator, spirv-as and spirv-val (Debian: glslang-tools, spirv-tools).
# `BLESS=1 cargo test -p vitrine-core --all-features --test it corpus::` then rewrites the table and the expected results.
set -eu
cd "$(dirname "$0")"

# Folders are compiled for different versions, so that modules of each version exist.
target() {
    case $1 in
    control) echo vulkan1.0 ;;
    images | values) echo vulkan1.1 ;;
    memory | groups) echo vulkan1.2 ;;
    *) echo vulkan1.3 ;;
    esac
}

for source in */*.comp */*.frag */*.vert */*.geom */*.tesc */*.tese */*.mesh */*.task */*.r*; do
    folder=${source%%/*}
    glslangValidator -V --quiet --target-env "$(target "$folder")" -o "${source%.*}.spv" "$source" ||
        glslangValidator -V --quiet --target-env vulkan1.3 -o "${source%.*}.spv" "$source"
done
for source in */*.spvasm; do
    case $source in
    bad/*) continue ;; # malformed on purpose
    graphs/* | opencl/*) version=spv1.4 ;;
    *) version=spv1.6 ;;
    esac
    spirv-as --target-env $version -o "${source%.*}.spv" "$source"
done
for module in */*.spv; do
    case $module in
    bad/*) continue ;;
    graphs/* | opencl/*) environment=spv1.6 ;;
    *) environment=vulkan1.3 ;;
    esac
    spirv-val --target-env $environment --scalar-block-layout --workgroup-scalar-block-layout "$module" || echo "invalid: $module"
done
