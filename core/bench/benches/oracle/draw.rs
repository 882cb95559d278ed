//! Fragment shaders on the driver: one triangle over the whole frame, and a float or integer image for each color.

use super::device::{Created, Device, Dispatch, Failure, context};
use ash::vk;
use std::collections::BTreeMap;
use vitrine_core::spirv::{AsmOptions, assemble};

/// Three vertices around the frame, by vertex index.
const VERTEX: &str = "
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %index %position
OpDecorate %index BuiltIn VertexIndex
OpDecorate %position BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v4float = OpTypeVector %float 4
%in = OpTypePointer Input %int
%out = OpTypePointer Output %v4float
%index = OpVariable %in Input
%position = OpVariable %out Output
%one = OpConstant %int 1
%two = OpConstant %int 2
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f4 = OpConstant %float 4
%main = OpFunction %void None %fn
%start = OpLabel
%i = OpLoad %int %index
%right = OpBitwiseAnd %int %i %one
%below = OpShiftRightArithmetic %int %i %one
%rf = OpConvertSToF %float %right
%bf = OpConvertSToF %float %below
%x4 = OpFMul %float %rf %f4
%y4 = OpFMul %float %bf %f4
%x = OpFSub %float %x4 %f1
%y = OpFSub %float %y4 %f1
%at = OpCompositeConstruct %v4float %x %y %f0 %f1
OpStore %position %at
OpReturn
OpFunctionEnd
";

impl Device {
    /// Draws, and returns the words of the pixels of each color. Pixels that are not drawn are zero.
    pub(super) unsafe fn draw(
        &self,
        dispatch: &Dispatch<'_>,
        [width, height]: [u32; 2],
        colors: &[(u32, vk::Format)],
        sets: &[vk::DescriptorSet],
        created: &mut Created<'_>,
    ) -> Failure<BTreeMap<u32, Vec<u32>>> {
        let extent = vk::Extent2D { width, height };
        // SAFETY: as for `run`.
        unsafe {
            let images = colors.iter().map(|&(_, format)| self.image(format, extent, created));
            let images: Vec<vk::Image> = images.collect::<Failure<_>>()?;
            self.pass(colors, extent, created)?;
            self.pipeline(dispatch, colors, extent, created)?;
            let bytes = vec![0; (width * height * 16) as usize];
            let usage = vk::BufferUsageFlags::TRANSFER_DST;
            let copies =
                colors.iter().map(|_| self.fill(&bytes, usage, created)).collect::<Failure<Vec<_>>>()?;
            let clear = vec![vk::ClearValue::default(); colors.len()];
            let begin = vk::RenderPassBeginInfo::default()
                .render_pass(created.pass)
                .framebuffer(created.frame)
                .render_area(extent.into())
                .clear_values(&clear);
            let region = vk::BufferImageCopy::default()
                .image_subresource(
                    vk::ImageSubresourceLayers::default()
                        .aspect_mask(vk::ImageAspectFlags::COLOR)
                        .layer_count(1),
                )
                .image_extent(extent.into());
            self.submit(|list| {
                self.device.cmd_begin_render_pass(list, &begin, vk::SubpassContents::INLINE);
                self.bound(list, vk::PipelineBindPoint::GRAPHICS, dispatch, sets, created);
                self.device.cmd_draw(list, 3, 1, 0, 0);
                self.device.cmd_end_render_pass(list);
                let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
                for (&image, copy) in images.iter().zip(&copies) {
                    self.device.cmd_copy_image_to_buffer(list, image, layout, copy.buffer, &[region]);
                }
            })?;
            let read = |copy| -> Failure<Vec<u32>> {
                let bytes = self.read(copy, bytes.len())?;
                Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
            };
            colors.iter().zip(&copies).map(|(&(location, _), copy)| Ok((location, read(copy)?))).collect()
        }
    }

    unsafe fn image(
        &self,
        format: vk::Format,
        extent: vk::Extent2D,
        created: &mut Created<'_>,
    ) -> Failure<vk::Image> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(extent.into())
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC);
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        // SAFETY: as for `run`.
        unsafe {
            let image = self.device.create_image(&info, None).map_err(context("no image"))?;
            created.images.push(image);
            let memory = self.memory(self.device.get_image_memory_requirements(image).size, created)?;
            self.device.bind_image_memory(image, memory, 0).map_err(context("no binding"))?;
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(format)
                .subresource_range(range);
            created.views.push(self.device.create_image_view(&info, None).map_err(context("no view"))?);
            Ok(image)
        }
    }

    unsafe fn pass(
        &self,
        colors: &[(u32, vk::Format)],
        extent: vk::Extent2D,
        created: &mut Created<'_>,
    ) -> Failure<()> {
        let attachment = |&(_, format): &(u32, vk::Format)| {
            vk::AttachmentDescription::default()
                .format(format)
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)
        };
        let attachments: Vec<_> = colors.iter().map(attachment).collect();
        let references = references(colors);
        let subpasses = [vk::SubpassDescription::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&references)];
        let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        // SAFETY: as for `run`.
        unsafe {
            created.pass = self.device.create_render_pass(&info, None).map_err(context("no render pass"))?;
            let info = vk::FramebufferCreateInfo::default()
                .render_pass(created.pass)
                .attachments(&created.views)
                .width(extent.width)
                .height(extent.height)
                .layers(1);
            created.frame = self.device.create_framebuffer(&info, None).map_err(context("no frame"))?;
        }
        Ok(())
    }

    unsafe fn pipeline(
        &self,
        dispatch: &Dispatch<'_>,
        colors: &[(u32, vk::Format)],
        extent: vk::Extent2D,
        created: &mut Created<'_>,
    ) -> Failure<()> {
        let vertex = assemble(VERTEX, &AsmOptions::default()).words;
        let info = vk::ShaderModuleCreateInfo::default().code(&vertex);
        // SAFETY: as for `run`.
        created.vertex =
            unsafe { self.device.create_shader_module(&info, None) }.map_err(context("no shader"))?;
        let (entries, data) = dispatch.special();
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let name = dispatch.name()?;
        let stage = |stage, module| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module);
        let stages = [
            stage(vk::ShaderStageFlags::VERTEX, created.vertex).name(c"main"),
            stage(vk::ShaderStageFlags::FRAGMENT, created.shader).name(&name).specialization_info(&special),
        ];
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let views =
            [vk::Viewport::default().width(extent.width as f32).height(extent.height as f32).max_depth(1.0)];
        let scissors = [vk::Rect2D::from(extent)];
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&views).scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let written =
            vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
        let blends = vec![written; references(colors).len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .layout(created.pipeline_layout)
            .render_pass(created.pass);
        // SAFETY: as for `run`.
        let pipelines =
            unsafe { self.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        created.pipeline = pipelines.map_err(|(_, error)| format!("no pipeline: {error}"))?[0];
        Ok(())
    }
}

/// The attachment of each color location; missing locations are unused.
fn references(colors: &[(u32, vk::Format)]) -> Vec<vk::AttachmentReference> {
    let count = colors.iter().map(|&(location, _)| location + 1).max().unwrap_or(0);
    let reference = |location| {
        let at = colors.iter().position(|&(other, _)| other == location);
        vk::AttachmentReference::default()
            .attachment(at.map_or(vk::ATTACHMENT_UNUSED, |at| at as u32))
            .layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
    };
    (0..count).map(reference).collect()
}
